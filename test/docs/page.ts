import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** A fenced block of a page: its language, its text, and the line of its first fence, from 0. */
export interface Block {
  readonly language: string
  readonly text: string
  readonly line: number
}

export function pageNames(): string[] {
  return readdirSync(join(root, 'docs/integrate'))
    .filter(name => name.endsWith('.md'))
    .sort()
}

export function readPage(name: string): string {
  return readFileSync(join(root, 'docs/integrate', name), 'utf8')
}

export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ 1: language = '', 2: text = '', index }) => ({
    language,
    text,
    line: page.slice(0, index).split('\n').length - 1,
  }))
}

/** A command of a page, and the output that the page shows: null if it shows none. */
export interface Example {
  readonly command: Block
  readonly answer: Block | null
}

/** Returns the commands in their order; a block of JSON or text after one is its output. */
export function examplesOf(page: string): Example[] {
  const blocks = blocksOf(page)
  return blocks.flatMap((command, n) => {
    if (command.language !== 'sh') return []
    const next = blocks[n + 1]
    return [{ command, answer: next?.language === 'json' || next?.language === 'text' ? next : null }]
  })
}

/** Replaces the parts that differ in every run: ids, times of the day, days, and a certificate and a port in a link. */
function normal(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '<id>')
    .replace(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, '<time>')
    .replace(/(x509_hash(?:%3A|:))[\w-]{43}/g, '$1<hash>')
    .replace(/(127\.0\.0\.1(?:%3A|:))\d+/g, '$1<port>')
}

/** Every line that a page shows must be among those that were printed. */
function missingLine(page: string, printed: string): string | null {
  const lines = normal(printed).split(/\r?\n/)
  const missing = page
    .trimEnd()
    .split('\n')
    .find(line => !lines.includes(normal(line)))
  return missing === undefined ? null : `"${missing}" is not printed, but ${JSON.stringify(printed)}`
}

const measured = ['duration_ms', 'byte_count']

/** Challenges and nonces are drawn for every transaction, and each key makes another signature. */
const isDrawn = /\.(actions?(\.\d+)?|challenge|nonce|X-Signature)$/

/**
 * Returns the difference of an answer from its page, as `path: what`; null if there is none. Ids, times and
 * measurements may differ, and a text that the page ends with `…` may go on in any way.
 */
function differenceOf(page: unknown, answer: unknown, path = 'answer'): string | null {
  if (typeof page === 'string' && typeof answer === 'string')
    return page.endsWith('…') || isDrawn.test(path) || normal(page) === normal(answer)
      ? null
      : `${path}: ${page} is ${answer} by now`
  if (typeof page === 'number' && typeof answer === 'number') {
    const varies = !Number.isInteger(page) || measured.includes(path.split('.').at(-1) ?? '')
    return varies || page === answer ? null : `${path}: ${page} is ${answer} by now`
  }
  // Whether an upload's analysis is pending depends on how busy the machine is.
  if (typeof page === 'boolean' && typeof answer === 'boolean' && path.endsWith('.pending')) return null
  if (typeof page !== 'object' || typeof answer !== 'object' || page === null || answer === null)
    return page === answer ? null : `${path}: ${JSON.stringify(page)} is ${JSON.stringify(answer)} by now`
  const said = Object.keys(page)
  const given = Object.keys(answer)
  if (said.join() !== given.join()) return `${path}: has the members ${given.join(', ')}, not ${said.join(', ')}`
  const differences = said.map(key => differenceOf(Reflect.get(page, key), Reflect.get(answer, key), `${path}.${key}`))
  return differences.find(difference => difference !== null) ?? null
}

/** Returns the same for a command's output; null also if the page shows none. */
export function staleness(answer: Block | null, printed: string): string | null {
  if (answer === null) return null
  return answer.language === 'text'
    ? missingLine(answer.text, printed)
    : differenceOf(JSON.parse(answer.text), JSON.parse(printed))
}

const width = 116

/** Formats JSON as a page shows it: a value that fits stands on one line. */
export function shown(value: unknown, indent = 0, used = 0): string {
  const flat = JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ').replaceAll('[ ', '[').replaceAll(' ]', ']')
  if (typeof value !== 'object' || value === null || indent + used + flat.length <= width) return flat
  const pad = ' '.repeat(indent + 2)
  const lines = Array.isArray(value)
    ? value.map(one => `${pad}${shown(one, indent + 2)}`)
    : Object.entries(value).map(([key, one]) => `${pad}"${key}": ${shown(one, indent + 2, key.length + 4)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${lines.join(',\n')}\n${' '.repeat(indent)}${close}`
}

const is_secret = /(?<![\w-])(?=[^/]*\d)(?=[^/]*[A-Z])[\w+=-]{40,}$/

/** Cuts a token off: no reader needs the whole, and no page should hold one. */
export function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one)]))
  return typeof value === 'string' ? value.replace(is_secret, token => `${token.slice(0, 8)}…`) : value
}

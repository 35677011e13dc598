import { ApiError } from '../base/api_error.ts'

const maxDepth = 32
/** Members of objects and elements of arrays, in all: no call of the API needs a tenth of them. */
const maxValues = 1000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openers = new Set([0x5b, 0x7b])
const closers = new Set([0x5d, 0x7d])
const openBrace = 0x7b

function malformed(rule: string): ApiError {
  return new ApiError('malformed_request', `body: must ${rule}`)
}

/** Returns the position of the last quote of the string that begins at a quote. */
function findEnd(text: string, start: number): number {
  const first = text.indexOf('"', start + 1)
  if (first !== -1 && text.charCodeAt(first - 1) !== backslash) return first
  // A search from each escaped quote to the next would cost ten times as much as to read every character.
  for (let end = start + 1; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code === quote) return end
    if (code === backslash) end++
  }
  throw malformed('be valid JSON')
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** The name of a member, as a parser reads it. */
function readName(json: string): string {
  try {
    return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1)
  } catch {
    throw malformed('be valid JSON')
  }
}

/** Adds a member to those of its object. */
function addName(names: Set<string> | null | undefined, json: string): void {
  const name = readName(json)
  // A parser, or code that copies its result, may take it for the object's prototype.
  if (name === '__proto__') throw malformed('not contain __proto__')
  if (names?.has(name)) throw new ApiError('malformed_request', `${name.slice(0, 64)}: given more than once`)
  names?.add(name)
}

/** Passes a string that begins at a quote, which may be a member's name. Returns the position after it. */
function passString(text: string, start: number, names: Set<string> | null | undefined): number {
  const end = findEnd(text, start)
  let next = end + 1
  while (isSpace(text.charCodeAt(next))) next++
  if (text.charCodeAt(next) === colon) addName(names, text.slice(start, end + 1))
  return next - 1
}

/**
 * Reads a JSON text once, from its beginning to its end, before it is parsed: a parser builds everything that is nested
 * or counted in it, and keeps the last of two members of one name. The cost is linear. Text that is no JSON may pass.
 * @throws {ApiError} `malformed_request`
 */
export function checkJsonShape(text: string): void {
  /** The names of each open object; null for an array. */
  const open: (Set<string> | null)[] = []
  let values = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = passString(text, at, open.at(-1))
    else if (openers.has(code)) {
      if (open.length > maxDepth) throw new ApiError('malformed_request', 'body: is nested too deeply')
      open.push(code === openBrace ? new Set() : null)
      values++
    } else if (closers.has(code)) open.pop()
    else if (code === comma) values++
    if (values > maxValues) throw malformed(`have at most ${maxValues} members`)
  }
}

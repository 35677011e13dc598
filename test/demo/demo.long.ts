import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { findLanAddress } from '../../lab/demo/https.ts'
import { inventPhotographs } from '../../lab/demo/people.ts'
import { eventsFrom } from '../console/inspect/steps_from.ts'
import { paintTerminal, readQrCodes } from '../qr_code.ts'

const program = join(import.meta.dirname, '../../lab/demo/main.ts')

function demo(...words: string[]) {
  return new Promise<{ code: number; output: string }>(resolve => {
    execFile(process.execPath, [program, ...words], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}\n${stderr}` }),
    )
  })
}

const webhooks = [1, 2, 3, 4].map(
  n => `webhook ${n}: ${['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED'][n - 1]}, signature verified`,
)

/** A program's output line by line, and its end. */
function start(t: ExecutionContext, command: string, words: readonly string[]) {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const ended = once(child, 'exit')
  // npm and its shell are between us and the program: all of them are ended.
  t.teardown(() => child.exitCode === null && child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'))
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', line => lines.push(line))
  const find = (pattern: RegExp) => lines.find(line => pattern.test(line))
  const line = async (pattern: RegExp): Promise<string> => {
    while (find(pattern) === undefined) await once(reader, 'line')
    return find(pattern) ?? ''
  }
  return { line, lines, interrupt: () => child.kill('SIGINT'), ended: async () => (await ended)[0] }
}

/** The events of the first transaction that an inspector shows, until it has ended. */
async function watch(inspector: string): Promise<readonly string[]> {
  const events: string[] = []
  let transaction: string | null = null
  for await (const [actor, event] of eventsFrom(inspector.replace('Inspector: ', ''))) {
    transaction ??= actor
    if (actor === transaction) events.push(event)
    if (event === 'xstate.done.actor.analysis') break
  }
  return events
}

test.serial(
  'The demo carries an invented person through the real models to APPROVED, and exits with 0; the command that it prints follows it on its chart',
  async t => {
    const demo = start(t, process.execPath, [program, '--once'])
    const says = await demo.line(/npm run inspect/)
    const printed = start(t, 'sh', ['-c', says])
    const seen = await watch(await printed.line(/^Inspector: /))
    t.deepEqual([seen[0], seen.at(-1)], ['CREATE', 'xstate.done.actor.analysis'])
    t.is(await demo.ended(), 0, demo.lines.join('\n'))
    const output = demo.lines.join('\n')
    t.regex(output, /is FINISHED: APPROVED/)
    for (const line of webhooks) t.true(output.includes(line), `${line} is missing from ${output}`)
  },
)

/** Calls the demo's server; nobody vouches for its certificate. */
async function getInsecurely(url: string, token: string): Promise<{ status: number; body: string }> {
  const headers = { Authorization: `Bearer ${token}` }
  const call = url.startsWith('https:')
    ? https.get(url, { rejectUnauthorized: false, headers })
    : http.get(url, { headers })
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, body: await text(response) }
}

test.serial('Another person’s selfie ends in REJECTED, for the face; meanwhile a link lets a phone begin', async t => {
  const demo = start(t, process.execPath, [program, '--impostor'])
  const link = new URL((await demo.line(/^ +https?:\S+\/verify#/)).trim())
  t.is(link.protocol, findLanAddress() === null ? 'http:' : 'https:')
  const code = demo.lines.filter(line => /^[█▀▄ ]*[█▀▄][█▀▄ ]*$/.test(line))
  t.deepEqual(await readQrCodes(await paintTerminal(code)), [link.href])
  t.truthy(await demo.line(/^ +console +https?:.*\/console, name demo, password \S+/))
  const { status, body } = await getInsecurely(`${link.origin}/api/sdk/v1/session`, link.hash.slice(1))
  t.is(status, 200, body)
  t.like(JSON.parse(body), { status: 'CREATED', next_step: null })
  await demo.line(/^Your own link is above/)
  demo.interrupt()
  t.is(await demo.ended(), 0, demo.lines.join('\n'))
  const output = demo.lines.join('\n')
  t.regex(output, /is FINISHED: REJECTED/)
  t.regex(output, /REJECT\s+FACE_MISMATCH/)
})

for (const [fate, seen] of [
  ['genuine', /reference: DOCUMENT_CHIP/],
  ['forged', /REJECT\s+CHIP_SIGNATURE_INVALID/],
  ['copied', /REJECT\s+CHIP_COPY_SUSPECTED/],
  ['unknown-state', /WARN\s+CHIP_ISSUER_UNKNOWN/],
] as const)
  test.serial(`The demo’s passport has a chip that is ${fate}, and ends as it should`, async t => {
    const { code, output } = await demo('--once', '--chip', fate)
    t.is(code, 0, output)
    t.regex(output, seen)
  })

test.serial('The demo takes photos from files, and refuses half a set of them', async t => {
  const within = mkdtempSync(join(tmpdir(), 'attestor-photos-'))
  t.teardown(() => rmSync(within, { recursive: true, force: true }))
  const { document_front, selfie, frames } = await inventPhotographs(false)
  const shown = Object.entries(frames).map(
    ([action, frame]) => [action.toLowerCase().replace('_', '-'), frame] as const,
  )
  const files = { document: document_front, selfie, ...Object.fromEntries(shown) }
  const words = Object.entries(files).flatMap(([name, image]) => {
    const file = join(within, `${name}.jpg`)
    writeFileSync(file, image ?? '')
    return [`--${name}`, file]
  })
  const { code, output } = await demo('--once', ...words)
  t.is(code, 0, output)
  t.regex(output, /is FINISHED: APPROVED/)
  const half = await demo('--once', '--document', join(within, 'document.jpg'))
  t.is(half.code, 2)
  t.regex(half.output, /--document and --selfie belong together/)
})

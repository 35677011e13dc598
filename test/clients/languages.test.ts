/** The clients in Python and Go: by their own tests, which hold the vectors of webhooks, and with the service. */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { oneDialect } from '../database.ts'
import { openTestRig } from '../service/rig.ts'

const clients = join(import.meta.dirname, '../../clients')

const { receivers }: { readonly receivers: readonly { readonly name: string }[] } = JSON.parse(
  readFileSync(join(clients, 'webhook_vectors.json'), 'utf8'),
)

type Command = readonly [program: string, ...words: string[]]

interface Language {
  readonly name: string
  /** Succeeds where the language is installed, with what the client needs. */
  readonly probe: Command
  readonly tests: Command
  /** A whole verification, by the service's address and an account's credentials. */
  readonly sample: Command
  readonly folder: string
  /** What its runner prints of a receiver of the vectors that passed. */
  readonly passed: (n: number) => RegExp
  /** What it prints of the client's own tests. */
  readonly client: RegExp
}

const languages: readonly Language[] = [
  {
    name: 'Python',
    probe: ['python3', '-c', 'import cryptography'],
    tests: ['python3', '-m', 'unittest', '-v'],
    sample: ['python3', 'sample.py'],
    folder: 'python',
    passed: n => new RegExp(`^test_receiver_${n} .* \\.\\.\\. ok$`, 'm'),
    client: /^test_for_the_end .* \.\.\. ok$/m,
  },
  {
    name: 'Go',
    probe: ['go', 'version'],
    tests: ['go', 'test', '-count=1', '-v', './...'],
    sample: ['go', 'run', './sample'],
    folder: 'go',
    passed: n => new RegExp(`^ +--- PASS: TestReceivers/${n}_`, 'm'),
    client: /^--- PASS: TestTheEndIsWaitedFor/m,
  },
]

/** What a program prints; null where its language is not installed, which is said. */
async function run(t: ExecutionContext, { probe, folder }: Language, command: Command): Promise<string | null> {
  const [asked, ...words] = probe
  if (spawnSync(asked, words).status !== 0) {
    t.log(`${probe.join(' ')} fails here: skipped`)
    t.pass()
    return null
  }
  const [program, ...args] = command
  // What it needs is in its standard library: nothing is fetched.
  const env = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=mod', PYTHONDONTWRITEBYTECODE: '1' }
  const { error, output } = await new Promise<{ error: Error | null; output: string }>(resolve => {
    execFile(program, args, { cwd: join(clients, folder), env }, (error, stdout, stderr) =>
      resolve({ error, output: stdout + stderr }),
    )
  })
  t.is(error, null, output)
  return output
}

for (const language of languages) {
  test(`${language.name}: calls are repeated, and every webhook of the vectors is verified or rejected for its reason`, async t => {
    const output = await run(t, language, language.tests)
    if (output === null) return
    t.regex(output, language.client)
    for (const [n, receiver] of receivers.entries()) t.regex(output, language.passed(n), receiver.name)
  })

  for (const engine of oneDialect)
    test(`${language.name}: the sample verifies a person with the service itself, on ${engine.name}`, async t => {
      const rig = await openTestRig(t, engine, {}, 'test')
      const { client_id, client_secret } = rig.account
      const [program, ...words] = language.sample
      const output = await run(t, language, [program, ...words, rig.node().url, client_id, client_secret])
      if (output !== null) t.is(output, 'FINISHED REJECTED EXPIRED_DOCUMENT\n')
    })
}

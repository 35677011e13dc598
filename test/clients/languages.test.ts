/** The clients in Python and Go: by their own tests, which hold the vectors of webhooks, and with the service. */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { readFirst } from 'durable-xstate-sql'
import { createClient } from '../../clients/typescript/src/client.ts'
import { columnsOf } from '../../src/database/schema.ts'
import { decryptExpectedData } from '../../src/verification/transactions/rows.ts'
import { oneDialect } from '../database.ts'
import { kyc } from '../service/client.ts'
import { openTestRig, type Rig } from '../service/rig.ts'

const clients = join(import.meta.dirname, '../../clients')

const contract = JSON.parse(readFileSync(join(clients, 'contract.generated.json'), 'utf8'))

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
  /** Opens a transaction with every member of the contract, at the service that the environment names. */
  readonly contract: Command
  /** Matches the runner's output for a receiver of the vectors that passed. */
  readonly passed: (n: number) => RegExp
  /** Matches the output of the client's own tests. */
  readonly client: RegExp
}

const languages: readonly Language[] = [
  {
    name: 'Python',
    probe: ['python3', '-c', 'import cryptography'],
    tests: ['python3', '-m', 'unittest', '-v'],
    sample: ['python3', 'sample.py'],
    contract: ['python3', '-m', 'unittest', 'test_attestor.Contract.test_the_service_takes_all_of_it'],
    folder: 'python',
    passed: n => new RegExp(`^test_receiver_${n} .* \\.\\.\\. ok$`, 'm'),
    client: /^test_for_the_end .* \.\.\. ok$/m,
  },
  {
    name: 'Go',
    probe: ['go', 'version'],
    tests: ['go', 'test', '-count=1', '-v', './...'],
    sample: ['go', 'run', './sample'],
    contract: ['go', 'test', '-count=1', '-v', '-run', 'TestTheServiceTakesTheContract', '.'],
    folder: 'go',
    passed: n => new RegExp(`^ +--- PASS: TestReceivers/${n}_`, 'm'),
    client: /^--- PASS: TestTheEndIsWaitedFor/m,
  },
]

/** Returns a program's output; null if its language is not installed, which is logged. */
async function run(
  t: ExecutionContext,
  { probe, folder }: Language,
  command: Command,
  own: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  const [asked, ...words] = probe
  if (spawnSync(asked, words).status !== 0) {
    t.log(`${probe.join(' ')} fails here: skipped`)
    t.pass()
    return null
  }
  const [program, ...args] = command
  // The standard library has all that it needs: nothing is fetched.
  const env = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=mod', PYTHONDONTWRITEBYTECODE: '1', ...own }
  const { error, output } = await new Promise<{ error: Error | null; output: string }>(resolve => {
    execFile(program, args, { cwd: join(clients, folder), env }, (error, stdout, stderr) =>
      resolve({ error, output: stdout + stderr }),
    )
  })
  t.is(error, null, output)
  return output
}

/** The stored transaction of the contract is the one that was sent. */
async function checkStored(t: ExecutionContext, rig: Rig, id: string): Promise<void> {
  const { expected_data, reference, test: script, ...config } = contract.transaction.sent.config
  const [row] = await rig.rows('SELECT config FROM transactions WHERE id = ?', id)
  const { decision: _, ...stored } = script
  const { face_search: __, age, ...kept } = JSON.parse(String(row?.config))
  t.is(age, null)
  const { document_policy, chip, attestation: ___, ...others } = kept
  t.deepEqual(
    { ...others, document_policy: { ...document_policy, ...(chip && { chip }) } },
    { ...config, test: stored },
  )
  const query = `?reference=${reference}`
  const found = await rig.call('GET', `${kyc}/transaction${query}`, { token: await rig.token() })
  t.deepEqual(
    (found.body.data as { id: string }[]).map(one => one.id),
    [id],
  )
  const { store, customerKey } = rig.node().service.transactions
  const whole = await readFirst(store, {
    sql: 'SELECT t.id, t.expected_data, t.customer_id, c.data_key FROM transactions t JOIN customers c ON c.id = t.customer_id WHERE t.id = ?',
    values: [id],
    columns: {
      ...columnsOf('transactions', 'id', 'expected_data', 'customer_id'),
      ...columnsOf('customers', 'data_key'),
    },
  })
  if (whole === null) throw new Error('it was not opened')
  t.deepEqual(decryptExpectedData(customerKey(whole.customer_id, whole.data_key), whole), expected_data)
  const { email, phone_number, external_customer_id } = contract.customer.sent
  const customer = await rig.call('GET', `${kyc}/customer/${whole.customer_id}`, { token: await rig.token() })
  t.like(customer.body, { external_customer_id }, customer.text)
  t.like(customer.body, { email, phone_number })
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
  for (const engine of oneDialect)
    test(`${language.name}: the service takes every member of the contract, and stores what was sent, on ${engine.name}`, async t => {
      const rig = await openTestRig(t, engine, { EMBED_ORIGINS: 'https://shop.example' }, 'test')
      const { client_id, client_secret } = rig.account
      const names = {
        ATTESTOR_URL: rig.node().url,
        ATTESTOR_CLIENT_ID: client_id,
        ATTESTOR_CLIENT_SECRET: client_secret,
      }
      const output = await run(t, language, language.contract, names)
      if (output !== null) await checkStored(t, rig, /opened ([0-9a-f-]{36})/.exec(output)?.[1] ?? '')
    })
}

for (const engine of oneDialect)
  test(`TypeScript: the service takes every member of the contract, and stores what was sent, on ${engine.name}`, async t => {
    const rig = await openTestRig(t, engine, { EMBED_ORIGINS: 'https://shop.example' }, 'test')
    const { client_id: clientId, client_secret: clientSecret } = rig.account
    const ignored: unknown[] = []
    const onIgnored = (path: string, members: readonly string[]) => void ignored.push(path, ...members)
    const client = createClient({ baseUrl: rig.node().url, clientId, clientSecret, onIgnored })
    const { customer_id } = await client.createCustomer(contract.customer.sent)
    const opened = await client.createTransaction({ ...contract.transaction.sent, customer_id })
    await client.createTransaction({ ...contract.age.sent, customer_id })
    t.deepEqual(ignored, [])
    await checkStored(t, rig, opened.transaction_id)
  })

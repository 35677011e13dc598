import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answerDigital, createWalletIssuer, issueMdoc } from '@attestor/credentials/synthetic'
import test, { type ExecutionContext } from 'ava'
import { openStore, type Store } from 'durable-xstate-sql'
import { callTo } from '../calls.ts'
import { eachDialect } from '../database.ts'
import { attest, makerSettings, toChallenge } from '../service/attested_phone.ts'
import { kyc, type Phone, phoneOf, startCall } from '../service/client.ts'
import { openHook } from '../service/hook.ts'
import { accessToken, crashes, environmentOf, type Keeper, patiently, startKeeper } from '../service/keeper.ts'
import { attestor } from '../service/programs.ts'

/** An AGE transaction that only a wallet answers, of a phone that attests its key. */
interface Case {
  readonly id: string
  readonly phone: Phone
}

async function openCase(keeper: Keeper, token: string, number: number): Promise<Case> {
  const call: ReturnType<typeof callTo> = async (...asked) => callTo(() => url)(...asked)
  const url = await keeper.url()
  const post = (path: string, json: unknown) => patiently(keeper, () => call('POST', kyc + path, { token, json }))
  const { customer_id } = (await post('/customer', { external_customer_id: `person-${number}` })).body
  const config = { age: { over: 18 }, document_policy: { wallet: 'REQUIRE' } }
  const opened = (await post('/transaction', { customer_id, transaction_type: 'AGE', config })).body
  const phone = phoneOf(call, String(opened.sdk_token))
  await patiently(keeper, () => phone.start(startCall))
  return { id: String(opened.transaction_id), phone }
}

/** Attests the phone's key, through any crash. Returns whether it was acknowledged. */
async function attestKey(keeper: Keeper, { phone }: Case): Promise<boolean> {
  const { challenge_id, challenge } = toChallenge(await patiently(keeper, phone.attestationChallenge))
  const { json } = attest(challenge)
  return (await patiently(keeper, () => phone.attest({ challenge_id, ...json }))).status === 200
}

type Credential = ReturnType<typeof issueMdoc>

interface Asked {
  readonly request_id: string
  readonly sent: object
}

async function askWallet(keeper: Keeper, { phone }: Case, credential: Credential): Promise<Asked> {
  const { body, text, status } = await patiently(keeper, phone.askWallet)
  if (status !== 201) throw new Error(text)
  const [request] = body.requests as readonly { readonly protocol: string; readonly data: object }[]
  if (request === undefined) throw new Error('nothing is asked')
  const data = await answerDigital(credential, request, await keeper.url(), { now: keeper.now() })
  return { request_id: String(body.request_id), sent: { protocol: request.protocol, data } }
}

async function finish(keeper: Keeper, { phone }: Case): Promise<void> {
  await patiently(keeper, phone.complete)
  for (;;) {
    const { body } = await patiently(keeper, () => phone.result('20'))
    if (['FINISHED', 'FAILED', 'EXPIRED'].includes(String(body.status))) return
  }
}

async function checkOnce(t: ExecutionContext, store: Store, { id }: Case, isAttested: boolean): Promise<void> {
  const values = [id]
  const journal = await store.read({ sql: 'SELECT event FROM journal WHERE actor_id = ?', values })
  const count = (type: string): number =>
    journal.filter(({ event }) => String(event).includes(`"type":"${type}"`)).length
  t.is(count('WALLET_ANSWERED'), 1, 'neither lost nor used twice')
  t.is(count('WALLET_REFUSED'), 0)
  t.true(count('ATTESTED') === 1 || (!isAttested && count('ATTESTED') === 0))
  t.is(count('COMPLETE'), 1)
  const [row] = await store.read({ sql: 'SELECT status, decision FROM transactions WHERE id = ?', values })
  t.like(row, { status: 'FINISHED', decision: 'APPROVED' })
  for (const sql of ['SELECT id FROM captures WHERE transaction_id = ?', 'SELECT id FROM capture_keys WHERE id = ?'])
    t.deepEqual(await store.read({ sql, values }), [], sql)
}

for (const engine of eachDialect)
  test.serial(
    `On ${engine.name} a wallet’s answer is neither lost nor used twice, whenever the node is killed`,
    async t => {
      const within = mkdtempSync(join(tmpdir(), 'attestor-crash-'))
      const database = await engine.fresh()
      const hook = await openHook({ jwks_url: () => '', now: () => Date.now() })
      const caFile = join(within, 'ca.pem')
      writeFileSync(caFile, hook.ca)
      const environment = {
        ...(await environmentOf(database, hook, caFile)),
        ...makerSettings,
        WALLET_REQUEST_SECONDS: '3600',
      }
      const keeper = startKeeper(environment)
      const store = await openStore(database.address, 2)
      t.teardown(async () => {
        await keeper.stop()
        await hook.close()
        await store.close()
        await database.drop()
        rmSync(within, { recursive: true, force: true })
      })
      const token = await accessToken(keeper, environment)
      const issuer = createWalletIssuer('AGE', { country: 'SE' })
      const file = join(within, 'issuer.pem')
      writeFileSync(file, new X509Certificate(issuer.anchor.certificate.der).toString())
      await attestor(['wallet', 'import', file, '--may-sign', 'AGE'], environment)
      const credential = issueMdoc(issuer, { now: Date.now() - 3_600_000, person: { ages: { 18: true } } })
      let cases = 0
      const walk = async (disturb: (moment: 'attest' | 'answer' | 'end') => Promise<void>): Promise<void> => {
        const one = await openCase(keeper, token, cases++)
        await disturb('attest')
        const isAttested = await attestKey(keeper, one)
        const { request_id, sent } = await askWallet(keeper, one, credential)
        await disturb('answer')
        const answers = await Promise.all(
          [1, 2, 3].map(() => patiently(keeper, () => one.phone.answerWallet(request_id, sent))),
        )
        t.deepEqual(
          answers.map(({ status }) => status),
          [200, 200, 200],
          answers.map(({ text }) => text).join(),
        )
        await disturb('end')
        await finish(keeper, one)
        await checkOnce(t, store, one, isAttested)
      }
      await walk(async () => {})
      await walk(async moment => {
        if (moment === 'answer') await keeper.kill()
      })
      for (const [instant, nths] of crashes.filter(([name]) => name !== 'timer.found'))
        for (const nth of nths.slice(0, 1))
          for (const at of ['attest', 'answer', 'end'] as const)
            await walk(async moment => {
              if (moment === at) await keeper.arm(instant, Math.min(nth, 3))
            })
      t.true(keeper.died > 10, `${keeper.died}`)
      t.log(`${keeper.died} kills in ${cases} ages`)
    },
  )

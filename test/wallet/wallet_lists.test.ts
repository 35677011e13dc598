import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  answerDigital,
  createRoot,
  createWalletIssuer,
  issueMdoc,
  issueSigner,
  issueStatusToken,
  issueTrustedEntities,
  issueVical,
  type SyntheticCredential,
} from '@attestor/credentials/synthetic'
import test from 'ava'
import { oneDialect } from '../database.ts'
import { getResult, listCodes } from '../service/outcomes.ts'
import { attestor, urlOf } from '../service/programs.ts'
import { openTestRig, type Rig } from '../service/rig.ts'
import { trustIssuers } from './wallet_issuers.ts'

const hourMs = 3_600_000

const walletAlgorithm = { type: 'ecdsa', digest: 'sha256', curve: 'prime256v1' } as const

/** Has a wallet answer whether its holder is over 18, and returns what is decided, and the codes about the wallet. */
async function answerAge(rig: Rig, credential: SyntheticCredential): Promise<readonly string[]> {
  const config = { age: { over: 18 }, document_policy: { wallet: 'REQUIRE' } }
  const { id, phone } = await rig.open(config, { transaction_type: 'AGE' })
  await phone.start({})
  const { body } = await phone.askWallet()
  const [request] = body.requests as readonly { readonly protocol: string; readonly data: object }[]
  if (request === undefined) throw new Error('nothing is asked')
  const data = await answerDigital(credential, request, rig.node().url, { now: rig.clock.now() })
  const { status, text } = await phone.answerWallet(String(body.request_id), { protocol: request.protocol, data })
  if (status !== 200) throw new Error(text)
  await phone.complete()
  await rig.idle()
  const view = await rig.view(id)
  return [getResult(view).decision, ...listCodes(view).filter(code => code.startsWith('WALLET'))]
}

for (const engine of oneDialect) {
  test(`${engine.name}: a status list is fetched through the guard, kept, and missed where it can’t be had`, async t => {
    const rig = await openTestRig(t, engine)
    const issuer = createWalletIssuer('AGE', { country: 'SE' })
    await trustIssuers(rig, [issuer])
    const uri = new URL('/list', rig.hook.url).href
    const issue = (index: number, at = uri) =>
      issueMdoc(issuer, { now: rig.clock.now() - hourMs, status: { uri: at, index } })
    let answer = (): { status: number; text?: string } => {
      const statuses = { 7: 1, 8: 2 }
      return { status: 200, text: issueStatusToken(issuer.signer, { uri, statuses, now: rig.clock.now() }).toString() }
    }
    rig.hook.answer(({ path }) => (path === '/list' ? answer() : { status: 204 }))
    const countFetches = (): number => rig.hook.received.filter(({ path }) => path === '/list').length
    t.deepEqual(await answerAge(rig, issue(1)), ['APPROVED'])
    t.deepEqual(await answerAge(rig, issue(7)), ['REJECTED', 'WALLET_REVOKED'])
    t.deepEqual(await answerAge(rig, issue(8)), ['REJECTED', 'WALLET_REVOKED'], 'suspended')
    t.is(countFetches(), 1, 'the list is kept for as long as it says')
    await rig.skip(2 * hourMs)
    answer = () => ({ status: 500 })
    t.deepEqual(await answerAge(rig, issue(1)), ['UNDETERMINED', 'WALLET_NOT_EVALUABLE'])
    answer = () => ({ status: 302, headers: { Location: 'https://127.0.0.1/' } }) as { status: number }
    t.deepEqual(await answerAge(rig, issue(1)), ['UNDETERMINED', 'WALLET_NOT_EVALUABLE'], 'no redirect is followed')
    answer = () => ({ status: 200, text: 'x'.repeat(300 * 1024) })
    t.deepEqual(await answerAge(rig, issue(1)), ['UNDETERMINED', 'WALLET_NOT_EVALUABLE'], 'it is too long')
    await rig.hook.down()
    t.deepEqual(await answerAge(rig, issue(1)), ['UNDETERMINED', 'WALLET_NOT_EVALUABLE'])
    await rig.hook.up()
    const before = countFetches()
    for (const refused of ['https://10.0.0.1/list', 'http://localhost/list', 'https://169.254.169.254/list'])
      t.deepEqual(await answerAge(rig, issue(1, refused)), ['UNDETERMINED', 'WALLET_NOT_EVALUABLE'], refused)
    t.is(countFetches(), before)
    t.true(rig.lines.some(({ error }) => String(error).startsWith('destination refused')))
  })

  test(`${engine.name}: issuers on a VICAL or on a list of the EU are believed once its signer is`, async t => {
    const rig = await openTestRig(t, engine)
    const folder = mkdtempSync(join(tmpdir(), 'attestor-lists-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const environment = {
      DATABASE_URL: urlOf(rig.database),
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    }
    const run = async (name: string, content: Buffer | string, ...words: readonly string[]) => {
      writeFileSync(join(folder, name), content)
      return attestor(['wallet', 'import', join(folder, name), ...words], environment)
    }
    const listRoot = createRoot('UT', walletAlgorithm, { name: 'List Root UT' })
    const signer = issueSigner(listRoot, walletAlgorithm, { purpose: '1.0.18013.5.1.8', serial: 40 })
    const [mdl, pid] = [createWalletIssuer('MDL', { country: 'SE' }), createWalletIssuer('PID', { country: 'FI' })]
    const now = rig.clock.now()
    const licence = issueMdoc(mdl, { now: now - hourMs })
    t.deepEqual(await answerAge(rig, licence), ['UNDETERMINED', 'WALLET_ISSUER_UNKNOWN'])
    // The command reads the machine's clock.
    const times = { now: Date.now() - hourMs, next_at: Date.now() + 24 * hourMs }
    const vical = issueVical(signer, [{ certificate: mdl.root.certificate, types: ['org.iso.18013.5.1.mDL'] }], times)
    const type = 'http://uri.etsi.org/19602/SvcType/PID/Issuance'
    const list = issueTrustedEntities(signer, [{ certificate: pid.root.certificate, type }], times)
    const refused = await run('early.cbor', vical)
    t.regex(refused.stdout + refused.stderr, /A list \(VICAL\) is refused: SIGNER_UNKNOWN/)
    t.deepEqual(await answerAge(rig, licence), ['UNDETERMINED', 'WALLET_ISSUER_UNKNOWN'])
    const root = new X509Certificate(listRoot.certificate).toString()
    t.regex((await run('lister.pem', root, '--may-sign', 'LIST')).stdout, /Added 1 certificates/)
    t.regex((await run('vical.cbor', vical)).stdout, /Added 1 certificates/)
    t.regex((await run('list.jws', list)).stdout, /Added 1 certificates/)
    t.deepEqual(await answerAge(rig, licence), ['APPROVED'])
    const rows = await rig.rows('SELECT country, may_sign FROM trust_anchors ORDER BY country')
    t.deepEqual(
      rows.map(({ country, may_sign }) => [country, may_sign]),
      [
        ['FI', 'PID'],
        ['SE', 'MDL'],
        ['UT', 'LIST'],
      ],
    )
    const said = await run('nonsense.bin', 'no certificate')
    t.regex(said.stderr, /a file holds no certificate, VICAL or list of trusted entities/)
    t.regex((await run('vical.cbor', vical, '--may-sign', 'ANYTHING')).stderr, /--may-sign: must be of MDL/)
  })
}

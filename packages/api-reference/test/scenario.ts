import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  answerDigital,
  answerLink,
  createWalletIssuer,
  createWalletParty,
  issueMdoc,
  specimenPerson,
} from '@attestor/credentials/synthetic'
import type { Environment } from '../../../src/config/settings.ts'
import type { Answer } from '../../../test/calls.ts'
import { sqlite } from '../../../test/database.ts'
import { attest, makerSettings, toChallenge } from '../../../test/service/attested_phone.ts'
import { phoneOf, picture, sdk } from '../../../test/service/client.ts'
import { openRig, type Rig } from '../../../test/service/rig.ts'
import type { ApiDocument } from '../openapi.ts'
import { type Printed, runCommand, type Shell } from './commands.ts'

/** The answers of each operation, by their status. */
export type Answers = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Runs commands one after another, and keeps their answers. */
interface Run {
  readonly rig: Rig
  readonly shell: Shell
  /** Runs an operation's command; members of its answer become variables: `{ TRANSACTION_ID: 'transaction_id' }`. */
  call(operationId: string, kept?: Readonly<Record<string, string>>): Promise<Printed>
  /** Keeps the answer of a call that no example can make, because its content is new each time. */
  keep(operationId: string, answer: Answer): void
}

/** A transaction of the account, with a receiver on this machine. */
async function openTransaction({ rig, shell }: Run, config: object = {}): Promise<void> {
  const { id, sdk_token } = await rig.open(config, { customer_id: shell.variables.CUSTOMER_ID })
  Object.assign(shell.variables, { TRANSACTION_ID: id, SDK_TOKEN: sdk_token })
}

async function readPublic({ call }: Run): Promise<void> {
  for (const name of ['getKeys', 'getEvidenceKeys', 'getTokenMetadata', 'getHealth', 'getReadiness', 'getDocument'])
    await call(name)
  for (const name of [
    'getPage',
    'getCapturePage',
    'getLogo',
    'listCharts',
    'getChartPicture',
    'getChartDiagram',
    'getChart',
  ])
    await call(name)
}

async function register({ call }: Run): Promise<void> {
  await call('requestToken', { TOKEN: 'access_token' })
  await call('createCustomer', { CUSTOMER_ID: 'customer_id' })
  await call('createCustomer')
  for (const name of ['listCustomers', 'getCustomer', 'listDuplicates', 'changeCustomer']) await call(name)
}

async function capture(run: Run): Promise<void> {
  const { call, rig, shell } = run
  await openTransaction(run, { test: { decision: 'APPROVED' } })
  for (const name of ['getSession', 'startSession', 'putSignals', 'changeDocument']) await call(name)
  for (const name of ['putDocumentFront', 'putDocumentBack', 'putSelfie']) await call(name)
  const challenge = await call('issueChallenge', { CHALLENGE_ID: 'challenge_id' })
  await call('putFrame')
  await call('dropCapture')
  await call('putSelfie')
  await call('takeBackHandoff')
  await call('offerHandoff', { CODE: 'code' })
  await call('sendHandoff')
  await call('claimHandoff', { SDK_TOKEN: 'sdk_token' })
  const actions = Array.isArray(challenge.body?.actions) ? challenge.body.actions : []
  for (let n = 1; n < actions.length; n++) {
    const { status, text } = await rig.call('PUT', `${sdk}/liveness/${shell.variables.CHALLENGE_ID}/${n}`, {
      token: shell.variables.SDK_TOKEN,
      image: await picture(n * 40 * 256),
    })
    if (status !== 200) throw new Error(`frame ${n}: ${status} ${text}`)
  }
  await call('completeSession')
  await rig.idle()
  await call('getResult')
}

async function review({ call }: Run): Promise<void> {
  for (const name of ['getTransaction', 'listTransactions', 'listEvents', 'getEvidence']) await call(name)
  await call('listCaptures', { CAPTURE_ID: 'data.0.id' })
  const { body } = await call('createCaptureLink', { LINK: 'url' })
  if (body === null) throw new Error('no link')
  await call('readCapture')
}

async function deliver({ call, rig }: Run): Promise<void> {
  await call('listDeliveries', { DELIVERY_ID: 'data.0.delivery_id' })
  await call('redeliver')
  await rig.idle()
  for (const name of ['listAllDeliveries', 'redeliverAll']) await call(name)
  await rig.idle()
}

async function attestPhone({ rig, shell, keep }: Run): Promise<void> {
  const phone = phoneOf(rig.call, shell.variables.SDK_TOKEN ?? '')
  const { challenge_id, challenge } = toChallenge(await phone.attestationChallenge())
  keep('putAttestation', await phone.attest({ challenge_id, ...attest(challenge).json }))
}

/** A wallet answers twice: on the phone that asks, and by the link, whose request it fetches. */
async function answerByWallet(run: Run): Promise<void> {
  const { rig, shell, call, keep } = run
  const person = { ...specimenPerson, portrait: await picture(1) }
  const credential = issueMdoc(createWalletIssuer('MDL', { country: 'SE' }), {
    now: rig.clock.now() - 3_600_000,
    person,
  })
  await openTransaction(run, { document_policy: { wallet: 'OFFER' } })
  await call('startSession')
  const phone = phoneOf(rig.call, shell.variables.SDK_TOKEN ?? '')
  const asked = await phone.askWallet()
  keep('requestWallet', asked)
  const { request_id, requests, link } = asked.body as unknown as {
    readonly request_id: string
    readonly requests: readonly { readonly protocol: string; readonly data: object }[]
    readonly link: string
  }
  const request = requests.find(({ protocol }) => protocol === 'openid4vp-v1-unsigned')
  const address = new URL(link).searchParams.get('request_uri')
  if (request === undefined || address === null) throw new Error('no request to a wallet')
  const { pathname } = new URL(address)
  const keepText = (operationId: string, { text, ...answer }: Answer): void =>
    keep(operationId, { ...answer, text, body: text as unknown as Answer['body'] })
  keepText('getWalletRequest', await rig.call('GET', pathname))
  const fetched = await rig.call('POST', pathname, { form: { wallet_nonce: 'of the wallet' } })
  keepText('postWalletRequest', fetched)
  const data = await answerDigital(credential, request, rig.node().url, { now: rig.clock.now() })
  keep('putWalletAnswer', await phone.answerWallet(request_id, { protocol: request.protocol, data }))
  await rig.call('DELETE', `${sdk}/captures/document_wallet`, { token: shell.variables.SDK_TOKEN })
  const again = (await phone.askWallet()).body as unknown as { readonly link: string }
  const byLink = new URL(new URL(again.link).searchParams.get('request_uri') ?? '')
  const { text } = await rig.call('GET', byLink.pathname)
  const { response_uri, form } = await answerLink(credential, text, { now: rig.clock.now() })
  keep('postWalletResponse', await rig.call('POST', new URL(response_uri).pathname, { form }))
}

async function end(run: Run): Promise<void> {
  const { call } = run
  await openTransaction(run, { document_policy: { chip: 'PREFER' } })
  await call('startSession')
  await call('issueChipChallenge')
  await call('putChip')
  await call('issueAttestationChallenge')
  await attestPhone(run)
  await call('cancelSession')
  await answerByWallet(run)
  await call('createTransaction', { TRANSACTION_ID: 'transaction_id' })
  await call('cancelTransaction')
  await call('eraseTransaction', { ERASURE_ID: 'erasure_id' })
  await call('getErasure')
}

async function tryOut(run: Run): Promise<void> {
  const { call } = run
  await openTransaction(run, { webhook: { url: 'https://listen.invalid/' } })
  await call('walkTransaction')
  await call('listen', { LEASE: 'delivery.lease', DELIVERY_ID: 'delivery.delivery_id' })
  await call('reportAttempt')
  await run.rig.idle()
  await call('eraseCustomer')
  await call('advanceTestClock')
}

function readMember(body: unknown, path: string): string {
  const value = path.split('.').reduce<unknown>((at, name) => Reflect.get(Object(at), name), body)
  if (typeof value !== 'string') throw new Error(`the answer has no ${path}: ${JSON.stringify(body)}`)
  return path === 'url' ? (value.split('/').at(-1) ?? '') : value
}

/** The headers that a webhook is verified by, as the document writes them. */
function pickHeaders(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const names = ['X-Timestamp', 'X-Signature', 'X-Key-Id', 'X-Delivery-Id', 'X-Delivery-Attempt']
  return Object.fromEntries(names.map(name => [name, headers[name.toLowerCase()]]))
}

/** The addresses of this run, as those of a service and of a receiver that anybody could reach. */
function withPublicHosts(answers: Answers, hosts: Readonly<Record<string, string>>): Answers {
  return JSON.parse(
    Object.entries(hosts).reduce((text, [host, used]) => text.replaceAll(used, host), JSON.stringify(answers)),
  )
}

/** An operator's logo is read, too. */
function writeBranding(folder: string): string {
  const file = join(folder, 'branding.json')
  writeFileSync(join(folder, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>')
  writeFileSync(file, JSON.stringify({ name: 'Acme', logo: 'logo.svg', accent: '#0b5fff' }))
  return file
}

/** The operator's access certificate, by which requests to wallets are signed. */
function writeParty(folder: string): Environment {
  const { certificates, key } = createWalletParty('localhost')
  const files = { WALLET_CERTIFICATE_FILE: join(folder, 'party.pem'), WALLET_KEY_FILE: join(folder, 'key.pem') }
  writeFileSync(files.WALLET_CERTIFICATE_FILE, new X509Certificate(certificates[0] as Buffer).toString())
  writeFileSync(files.WALLET_KEY_FILE, key.export({ format: 'pem', type: 'pkcs8' }))
  return files
}

/** Pastes the command of every operation, in the order in which an integrator would. */
export async function runScenario(): Promise<Answers> {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-reference-'))
  const rig = await openRig(
    sqlite,
    hook => ({
      ...makerSettings,
      ...writeParty(folder),
      BRANDING: writeBranding(folder),
      WEBHOOK_ALGORITHM: 'RS256',
      HANDOFF_WEBHOOK: hook.url,
    }),
    'test',
  )
  const photos = join(folder, 'photo.jpg')
  const { client_id, client_secret } = rig.account
  const { body } = await rig.call('GET', '/openapi.json')
  const document = body as unknown as ApiDocument
  const variables: Record<string, string> = {
    BASE_URL: rig.node().url,
    CLIENT_ID: client_id,
    CLIENT_SECRET: client_secret,
    PHOTO: photos,
  }
  const shell = { variables, folder }
  const answers: Record<string, Record<string, unknown>> = {}
  let count = 0
  const call: Run['call'] = async (operationId, kept = {}) => {
    writeFileSync(photos, await picture(count++ * 5))
    const printed = await runCommand(document, operationId, shell)
    const { status, body: answer } = printed
    if (!/^2/.test(status)) throw new Error(`${operationId} answered ${status}: ${JSON.stringify(answer)}`)
    answers[operationId] = { ...answers[operationId], [status]: answers[operationId]?.[status] ?? answer }
    for (const [variable, path] of Object.entries(kept)) variables[variable] = readMember(answer, path)
    return printed
  }
  const keep: Run['keep'] = (operationId, { status, body: answer }) => {
    answers[operationId] = { [status]: answer }
  }
  const run: Run = { rig, shell, call, keep }
  try {
    for (const part of [readPublic, register, capture, review, deliver, end, tryOut]) await part(run)
    const received = rig.hook.received.find(({ body }) => body.status === 'FINISHED')
    if (received === undefined) throw new Error('no webhook came')
    answers.statusChanged = { headers: pickHeaders(received.headers), body: received.body }
    return withPublicHosts(answers, {
      'https://id.example': rig.node().url,
      'https://receiver.example': new URL(rig.hook.url).origin,
    })
  } finally {
    await rig.close()
    rmSync(folder, { recursive: true })
  }
}

import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  answerLink,
  createWalletIssuer,
  createWalletParty,
  issueMdoc,
  type SyntheticCredential,
} from '@attestor/credentials/synthetic'
import test, { type ExecutionContext } from 'ava'
import { closeBrowser, openBrowser, serialBrowserTest, textsOf } from '../../../test/browser.ts'
import { sqlite } from '../../../test/database.ts'
import { readQrCodes } from '../../../test/qr_code.ts'
import { openRig, openTestRig, type Rig } from '../../../test/service/rig.ts'
import { inLongTier } from '../../../test/tier.ts'
import { findAllWell, issueTrusted, trustIssuers } from '../../../test/wallet/wallet_issuers.ts'
import { answerChallenge, give } from './photos.ts'
import { desktop, type Look, phone } from './reader.ts'
import { checkScreen, openVisitor, type Visitor } from './visitor.ts'
import { hearRequests, openVirtualWallet } from './wallet_person.ts'

let rig: Rig
let licence: Awaited<ReturnType<typeof issueTrusted>>
test.before(async () => {
  rig = await openRig(sqlite)
  rig.script(findAllWell)
  licence = await issueTrusted(rig)
})
test.after.always(async () => {
  await closeBrowser()
  await rig.close()
})

interface Coming {
  readonly wallet?: 'OFFER' | 'REQUIRE'
  readonly look?: Look
  readonly at?: Rig
  /** False where the browser asks no wallets. */
  readonly knowsApi?: boolean
}

/** A person who agrees, on the way to their wallet. */
async function openHolder(
  t: ExecutionContext,
  { wallet = 'OFFER', look = phone, at = rig, knowsApi = true }: Coming = {},
) {
  const opened = await at.open({ document_policy: { wallet } })
  const url = `${at.node().url}/verify#${opened.sdk_token}`
  const visitor = await openVisitor(t, await openBrowser(), url, look)
  if (!knowsApi) {
    await visitor.page.evaluateOnNewDocument('delete globalThis.DigitalCredential')
    await visitor.page.reload()
  }
  const asked = hearRequests(visitor.page)
  const virtual = openVirtualWallet(await visitor.page.createCDPSession())
  if (!look.isPhone) await visitor.presses('Use this computer')
  await visitor.presses('I agree, start')
  if (wallet === 'OFFER') await visitor.presses('Digital wallet')
  await visitor.sees('WALLET')
  return { ...opened, visitor, asked, virtual }
}

async function showFace(visitor: Visitor): Promise<void> {
  await visitor.reads('h1', 'Take a picture of your face')
  await give(visitor)
  await answerChallenge(visitor)
  await visitor.sees('RESULT')
}

async function readResult(id: string, at = rig) {
  const { result_data } = (await at.view(id)) as {
    result_data: { decision: string; document: { data: { source: string } } }
  }
  return [result_data.decision, result_data.document.data.source]
}

/** The texts of the buttons and links that lead on. */
function listWays({ page }: Visitor): Promise<readonly string[]> {
  return textsOf(page, '.actions > *')
}

serialBrowserTest('A person who declines may ask their wallet again, and then shows their face alone', async t => {
  const { id, visitor, asked, virtual } = await openHolder(t)
  await checkScreen(t, visitor.page, 'wallet')
  t.is(await visitor.page.$eval('.progress', progress => progress.textContent), 'Step 1 of 3')
  const { link } = await asked()
  t.is(await visitor.page.$eval('main a.button', one => one.getAttribute('href')), link)
  await virtual.behave({ action: 'decline' })
  await visitor.presses('Open my wallet')
  await visitor.sees('WALLET_REFUSED')
  await checkScreen(t, visitor.page, 'wallet_refused')
  await visitor.presses('Try again')
  await visitor.sees('WALLET')
  await virtual.answers(rig, licence.credential, await asked())
  await visitor.presses('Open my wallet')
  await showFace(visitor)
  t.deepEqual(await readResult(id), ['APPROVED', 'WALLET'])
})

const inLong = inLongTier(serialBrowserTest)

inLong('An answer to another request, of another page or in no format is refused, and a right one taken', async t => {
  const { id, visitor, asked, virtual } = await openHolder(t, { wallet: 'REQUIRE' })
  const garbage = { vp_token: { mdl: ['x'] } }
  for (const answer of [
    async () => virtual.answers(rig, licence.credential, await asked(), { nonce: 'another' }),
    async () => virtual.answers(rig, licence.credential, await asked(), { origin: 'https://evil.example' }),
    async () => virtual.behave({ action: 'respond', protocol: 'openid4vp-v1-unsigned', response: garbage }),
    async () => virtual.behave({ action: 'respond', protocol: 'org-iso-mdoc', response: garbage }),
    async () => virtual.behave({ action: 'respond', protocol: 'nonsense', response: garbage }),
  ]) {
    await answer()
    await visitor.presses('Open my wallet')
    await visitor.sees('WALLET_REFUSED')
    t.deepEqual(await listWays(visitor), ['Try again'], 'nothing else is taken')
    await visitor.presses('Try again')
    await visitor.sees('WALLET')
  }
  await virtual.answers(rig, licence.credential, await asked(), { protocol: 'org-iso-mdoc' })
  await visitor.presses('Open my wallet')
  await showFace(visitor)
  t.deepEqual(await readResult(id), ['APPROVED', 'WALLET'])
})

inLong('A person whose wallet declines takes photographs, where both do', async t => {
  const { id, visitor, virtual } = await openHolder(t)
  await virtual.behave({ action: 'decline' })
  await visitor.presses('Open my wallet')
  await visitor.sees('WALLET_REFUSED')
  await visitor.presses('Take photos instead', 'Passport')
  await visitor.reads('h1', 'Photograph your passport')
  await give(visitor)
  await showFace(visitor)
  t.deepEqual(await readResult(id), ['APPROVED', 'ZONE'])
})

inLong('A request ends in time, by the clock of the service, wherever the person is', async t => {
  const { visitor, asked, virtual } = await openHolder(t)
  await rig.advance(301_000)
  await visitor.sees('WALLET_REFUSED')
  await visitor.presses('Try again')
  await visitor.sees('WALLET')
  await virtual.behave({ action: 'wait' })
  await visitor.presses('Open my wallet')
  await visitor.sees('WALLET_WAITING')
  await checkScreen(t, visitor.page, 'wallet_waiting')
  await visitor.presses('Back')
  await visitor.sees('CHOOSE_DOCUMENT')
  await visitor.presses('Digital wallet')
  await visitor.sees('WALLET')
  await virtual.answers(rig, licence.credential, await asked())
  await rig.advance(301_000)
  await visitor.sees('WALLET_REFUSED')
})

inLong('A wallet’s answer may be given up for photographs, until everything is sent', async t => {
  const { id, visitor, asked, virtual } = await openHolder(t)
  await virtual.answers(rig, licence.credential, await asked())
  await visitor.presses('Open my wallet')
  await visitor.reads('h1', 'Take a picture of your face')
  await visitor.presses('Back')
  await visitor.sees('CHOOSE_DOCUMENT')
  await visitor.presses('Back')
  await visitor.reads('h1', 'Take a picture of your face')
  await visitor.presses('Back', 'Passport')
  await visitor.reads('h1', 'Photograph your passport')
  await give(visitor)
  await showFace(visitor)
  t.deepEqual(await readResult(id), ['APPROVED', 'ZONE'])
})

/** A node that signs its requests. */
async function openSigningRig(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-wallet-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const party = createWalletParty('localhost')
  const files = { WALLET_CERTIFICATE_FILE: join(folder, 'party.pem'), WALLET_KEY_FILE: join(folder, 'key.pem') }
  const [certificate = Buffer.of()] = party.certificates
  writeFileSync(files.WALLET_CERTIFICATE_FILE, new X509Certificate(certificate).toString())
  writeFileSync(files.WALLET_KEY_FILE, party.key.export({ format: 'pem', type: 'pkcs8' }))
  const signing = await openTestRig(t, sqlite, files)
  signing.script(findAllWell)
  return { signing, credential: (await issueTrusted(signing)).credential }
}

/** A wallet on another device, which was opened by a link: it fetches the request and posts its answer. */
async function answerElsewhere(at: Rig, credential: SyntheticCredential, link: string) {
  const by = new URL(link).searchParams.get('request_uri')
  const form = { wallet_nonce: 'of the wallet' }
  const request = by === null ? link : (await at.call('POST', new URL(by).pathname, { form })).text
  const answer = await answerLink(credential, request, { now: at.clock.now() })
  return at.call('POST', new URL(answer.response_uri).pathname, { form: answer.form })
}

inLong('A computer shows a code, a wallet elsewhere answers by it, and the page goes on by itself', async t => {
  const { signing, credential } = await openSigningRig(t)
  for (const knowsApi of [true, false]) {
    const { id, visitor, asked } = await openHolder(t, { look: desktop, at: signing, knowsApi })
    const code = await visitor.page.waitForSelector('svg.qr')
    await checkScreen(t, visitor.page, 'wallet')
    const { link } = await asked()
    t.deepEqual(await readQrCodes((await code?.screenshot()) ?? Buffer.of()), [link])
    const others = ['Continue on my phone', 'Take photos instead']
    t.deepEqual(await listWays(visitor), knowsApi ? ['Open my wallet', ...others] : others)
    t.is((await visitor.text()).includes('Or scan'), knowsApi)
    t.is((await answerElsewhere(signing, credential, link)).status, 200)
    await showFace(visitor)
    t.deepEqual(await readResult(id, signing), ['APPROVED', 'WALLET'])
  }
})

inLong('A browser signs in the name of the operator where there is a certificate', async t => {
  const { signing, credential } = await openSigningRig(t)
  const { id, visitor, asked, virtual } = await openHolder(t, { at: signing })
  await virtual.answers(signing, credential, await asked(), { protocol: 'openid4vp-v1-signed' })
  await visitor.presses('Open my wallet')
  await showFace(visitor)
  t.deepEqual(await readResult(id, signing), ['APPROVED', 'WALLET'])
})

inLong('A phone whose browser asks no wallet has a link; while the app is open the page may be lost', async t => {
  const { id, visitor, asked } = await openHolder(t, { wallet: 'REQUIRE', knowsApi: false })
  t.deepEqual(await listWays(visitor), ['Open a wallet app on this device'])
  const { link } = await asked()
  await visitor.page.reload()
  await visitor.sees('WALLET_WAITING')
  await checkScreen(t, visitor.page, 'wallet_waiting')
  const { status, body } = await answerElsewhere(rig, licence.credential, link)
  t.is(status, 200)
  const own = await openVisitor(t, await openBrowser(), String(body.redirect_uri), phone)
  await own.reads('h1', 'Your wallet has answered')
  await checkScreen(t, own.page, 'wallet_returned')
  await visitor.page.goto(String(body.redirect_uri))
  await showFace(visitor)
  t.deepEqual(await readResult(id), ['APPROVED', 'WALLET'], 'a wallet that returns to the same tab goes on there')
})

inLong(
  'Of several wallets a wrong one, or one that declines, may answer by the link; then another is asked',
  async t => {
    const { id, visitor, asked } = await openHolder(t, { wallet: 'REQUIRE', knowsApi: false })
    t.true((await visitor.text()).includes('If you have several wallets'))
    for (const form of [
      { error: 'access_denied' },
      { error: 'wallet_unavailable' },
      { vp_token: '{}' },
      { vp_token: JSON.stringify({ other: ['x'] }) },
    ]) {
      const { link } = await asked()
      const posted = new URL(link).searchParams.get('response_uri') ?? ''
      t.is((await rig.call('POST', new URL(posted).pathname, { form })).status, 422, JSON.stringify(form))
      await visitor.sees('WALLET_REFUSED')
      t.true((await visitor.text()).includes('with another wallet too'))
      await visitor.presses('Try again')
      await visitor.sees('WALLET')
    }
    const { link } = await asked()
    t.is((await answerElsewhere(rig, licence.credential, link)).status, 200)
    await showFace(visitor)
    t.deepEqual(await readResult(id), ['APPROVED', 'WALLET'])
  },
)

inLong('A phone goes on with the wallet that a computer could not ask', async t => {
  const { id, visitor, sdk_token } = await openHolder(t, { look: desktop, wallet: 'REQUIRE', knowsApi: false })
  t.is(await visitor.page.$('svg.qr'), null, 'an unsigned request is too long for a code')
  t.true((await visitor.text()).includes('Open a wallet app on this device'))
  await visitor.presses('Continue on my phone')
  await visitor.page.waitForFunction(`document.querySelector('.link[readonly]')?.value.includes('#handoff=')`)
  const handed = await visitor.page.$eval('.link[readonly]', input => (input as unknown as { value: string }).value)
  t.notRegex(handed, new RegExp(sdk_token))
  const inHand = await openVisitor(t, await openBrowser(), handed, phone)
  const asked = hearRequests(inHand.page)
  const virtual = openVirtualWallet(await inHand.page.createCDPSession())
  await inHand.presses('Continue here')
  await inHand.sees('WALLET_WAITING')
  await inHand.presses('Open my wallet')
  await inHand.sees('WALLET')
  await virtual.answers(rig, licence.credential, await asked())
  await inHand.presses('Open my wallet')
  await showFace(inHand)
  await visitor.sees('RESULT')
  t.deepEqual(await readResult(id), ['APPROVED', 'WALLET'])
})

inLong('An age is proven by the wallet alone, and no face is asked for', async t => {
  const issuer = createWalletIssuer('AGE', { country: 'SE' })
  await trustIssuers(rig, [issuer])
  const config = { age: { over: 18 }, document_policy: { wallet: 'REQUIRE' } }
  const { id, sdk_token } = await rig.open(config, { transaction_type: 'AGE' })
  const visitor = await openVisitor(t, await openBrowser(), `${rig.node().url}/verify#${sdk_token}`, phone)
  const asked = hearRequests(visitor.page)
  const virtual = openVirtualWallet(await visitor.page.createCDPSession())
  await visitor.sees('CONSENT')
  t.is(await visitor.page.$('li.face'), null)
  await visitor.presses('I agree, start')
  await visitor.sees('WALLET')
  t.is(await visitor.page.$eval('.progress', progress => progress.textContent), 'Step 1 of 1')
  await virtual.answers(rig, issueMdoc(issuer, { now: rig.clock.now() - 3_600_000 }), await asked())
  await visitor.presses('Open my wallet')
  await visitor.sees('RESULT')
  t.like(await rig.view(id), { result_data: { decision: 'APPROVED' } })
})

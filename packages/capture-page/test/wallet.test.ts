import test, { type ExecutionContext } from 'ava'
import { closeBrowser, openBrowser, serialBrowserTest } from '../../../test/browser.ts'
import { sqlite } from '../../../test/database.ts'
import { openRig, type Rig } from '../../../test/service/rig.ts'
import { findAllWell, issueTrusted } from '../../../test/service/wallet_issuers.ts'
import { answerChallenge, give } from './photos.ts'
import { type Look, phone } from './reader.ts'
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

/** A person who agrees, on the way to their wallet. */
async function openHolder(t: ExecutionContext, wallet: 'OFFER' | 'REQUIRE', look: Look = phone) {
  const opened = await rig.open({ document_policy: { wallet } })
  const visitor = await openVisitor(t, await openBrowser(), `${rig.node().url}/verify#${opened.sdk_token}`, look)
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

async function readResult(id: string) {
  const { result_data } = (await rig.view(id)) as {
    result_data: { decision: string; document: { data: { source: string } } }
  }
  return [result_data.decision, result_data.document.data.source]
}

serialBrowserTest('A person who declines may ask their wallet again, and then shows their face alone', async t => {
  const { id, visitor, asked, virtual } = await openHolder(t, 'OFFER')
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

import test from 'ava'
import { inventPhotographs } from '../../../lab/demo/people.ts'
import { browserTest, closeBrowser, openBrowser } from '../../../test/browser.ts'
import { sqlite } from '../../../test/database.ts'
import { openTestRig } from '../../../test/service/rig.ts'
import { openVisitor } from './visitor.ts'

test.after.always(closeBrowser)

/** The page's instructions, and the frame that answers each. */
const shown: Readonly<Record<string, string>> = {
  'Turn your head to your left': 'TURN_LEFT',
  'Turn your head to your right': 'TURN_RIGHT',
  'Close both eyes for a moment': 'BLINK',
  'Open your mouth wide': 'OPEN_MOUTH',
  'Look up': 'LOOK_UP',
}

browserTest(
  'Through the page, an invented person with an invented passport is approved by the real models',
  async t => {
    const rig = await openTestRig(t, sqlite, {
      ANALYSIS_ENGINE: 'local',
      ANALYSIS_PROCESSES: '1',
    })
    const photographs = await inventPhotographs(false)
    const { sdk_token, id } = await rig.open()
    const visitor = await openVisitor(t, await openBrowser(), `${rig.node().url}/verify#${sdk_token}`)
    await visitor.presses('I agree, start', 'Passport')
    await visitor.reads('h1', 'Photograph your passport')
    await visitor.chooses(photographs.document_front)
    await visitor.reads('h1', 'Take a picture of your face')
    await visitor.chooses(photographs.selfie)
    await visitor.presses('Start', 'Go on with photos')
    for (let n = 1; n <= 4; n++) {
      await visitor.reads('.progress', `Movement ${n} of 4`)
      const asked = await visitor.page.$eval('h1', h1 => h1.textContent ?? '')
      const frame = photographs.frames[shown[asked] ?? '']
      if (frame === undefined) return t.fail(asked)
      await visitor.chooses(frame)
    }
    await visitor.sees('RESULT')
    t.true((await visitor.text()).includes('Your identity is confirmed.'))
    t.is(((await rig.view(id)).result_data as { decision: string }).decision, 'APPROVED')
  },
)

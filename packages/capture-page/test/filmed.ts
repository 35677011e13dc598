import type { FakeCamera } from '../../../test/fake_camera.ts'
import en from '../page/texts/en.json' with { type: 'json' }
import type { Texts } from '../page/texts/keys.ts'
import type { FilmedScenes } from './filmed_scenes.ts'
import { polling, type Reader } from './reader.ts'

/** A person's actions before a camera, while the page takes the pictures by itself. */
export interface Actor {
  /** Opens the camera before a scene. */
  films(scene: Buffer): Promise<void>
  /** Follows the movements to the last, with one scene for each. */
  follows(scenes: FilmedScenes): Promise<void>
  /** Answers the challenge that is issued next. */
  answers(scenes: FilmedScenes): Promise<void>
}

interface ChallengeAnswer {
  readonly actions: readonly string[]
}

/** A person who reads the page in the language of these texts. */
export function createActor(reader: Reader, camera: FakeCamera, texts: Texts = en): Actor {
  const progressOf = (n: number, of: number): string =>
    texts['live.of'].replace('{n}', String(n)).replace('{all}', String(of))
  const isDone = (n: number, of: number): string =>
    n === of
      ? `document.querySelector('.viewfinder') === null`
      : `document.querySelector('.progress')?.textContent !== ${JSON.stringify(progressOf(n, of))}`
  /** A page that was reloaded has not seen the selfie: it asks to look ahead before a movement. */
  const acts = async (face: Buffer, scene: Buffer, done: string): Promise<void> => {
    const ahead = `document.querySelector('.hint')?.textContent === ${JSON.stringify(texts['hint.LOOK_AHEAD'])}`
    await camera.show(scene)
    await reader.page.waitForFunction(`${done} || ${ahead}`, { polling })
    if (await reader.page.evaluate(done)) return
    await camera.show(face)
    await reader.page.waitForFunction(`${done} || !(${ahead})`, { polling })
    await acts(face, scene, done)
  }
  const answers = async (scenes: FilmedScenes): Promise<void> => {
    const issued = await reader.page.waitForResponse(response => response.url().endsWith('/liveness/challenge'))
    const { actions: asked } = (await issued.json()) as ChallengeAnswer
    for (const [n, action] of asked.entries()) {
      const scene = scenes.actions[action]
      if (scene === undefined) throw new Error(`nobody has filmed ${action}`)
      await reader.reads('.progress', progressOf(n + 1, asked.length))
      await reader.sees('LIVENESS_CAMERA')
      await acts(scenes.face, scene, isDone(n + 1, asked.length))
    }
  }
  return {
    answers,
    async films(scene) {
      await reader.sees('EXPLAIN_PICTURE')
      await camera.show(scene)
      await reader.presses(texts['picture.open'])
    },
    async follows(scenes) {
      await reader.sees('EXPLAIN_LIVENESS')
      await camera.show(scenes.face)
      const answered = answers(scenes)
      await reader.presses(texts['live.start'])
      await answered
    },
  }
}

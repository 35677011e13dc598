import { sharpPicture } from './pictures.ts'
import type { Visitor } from './visitor.ts'

/** Chooses a file in place of the camera's picture, and goes on in spite of any advice. */
export async function give(visitor: Visitor): Promise<void> {
  await visitor.sees('EXPLAIN_PICTURE')
  await visitor.chooses(await sharpPicture())
}

/** Begins a challenge without a camera. */
export async function startChallenge(visitor: Visitor): Promise<void> {
  await visitor.sees('EXPLAIN_LIVENESS')
  await visitor.presses('Start')
  await visitor.sees('NO_CAMERA')
}

/** Answers the actions with files, as a person without a camera does. */
export async function answerActions(visitor: Visitor): Promise<void> {
  await visitor.presses('Go on with photos')
  for (let n = 1; n <= 4; n++) {
    await visitor.reads('.progress', `Movement ${n} of 4`)
    await visitor.sees('LIVENESS_FILE')
    await visitor.chooses(await sharpPicture())
  }
}

export async function answerChallenge(visitor: Visitor): Promise<void> {
  await startChallenge(visitor)
  await answerActions(visitor)
}

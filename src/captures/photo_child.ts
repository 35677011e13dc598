/**
 * The child process in which uploaded images are decoded: whatever one of them does to a decoder, the service goes on.
 * It gets no secrets and opens no connection. `photos.ts` starts it.
 */
import { Refusal } from '../base/refusal.ts'
import { serveQuestions } from '../children/wire.ts'
import { checkImage, restrictImageLoaders } from './image.ts'
import type { PhotoAnswer, PhotoQuestion } from './photo_wire.ts'

restrictImageLoaders()
serveQuestions<PhotoQuestion, PhotoAnswer>(async ({ content, limits, subject }) => {
  try {
    return { facts: await checkImage(content, null, limits, subject) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { refused: { code: error.code, message: error.message } }
  }
})

/** The thread of `content_thread.ts`: works on the contents that are moved to it, one after another. */
import { parentPort } from 'node:worker_threads'
import { type ContentTask, ownBuffers, workOnContent } from './content_thread.ts'

parentPort?.on('message', (task: ContentTask) => {
  const answer = workOnContent(task)
  parentPort?.postMessage(answer, ownBuffers('pieces' in answer ? answer.pieces : [answer.content]))
})

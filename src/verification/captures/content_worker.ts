/** The thread of `content_thread.ts`: works on the contents that it holds, and answers in the order of the tasks. */
import { parentPort } from 'node:worker_threads'
import { type ContentTask, createContentWorker } from './content_thread.ts'

const work = createContentWorker()
parentPort?.on('message', (task: ContentTask) => {
  const answer = work(task)
  if (answer === null) return
  const moved = typeof answer === 'string' ? [] : answer.pieces.map(({ buffer }) => buffer as ArrayBuffer)
  parentPort?.postMessage(answer, moved)
})

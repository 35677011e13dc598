/** The thread of `sqlite_checkpoint.ts`: copies the log of each file that it is sent, and answers when that is done. */
import { parentPort } from 'node:worker_threads'
import { copyLog } from './sqlite_checkpoint.ts'

parentPort?.on('message', (file: string) => {
  copyLog(file)
  parentPort?.postMessage(null)
})

/** The thread of `sqlite_writer.ts`: writes statements into its file, and answers when that is done. */
import { parentPort, workerData } from 'node:worker_threads'
import { openWriter } from './sqlite_writer.ts'
import type { Statement } from './statement.ts'

const write = openWriter(workerData as string)
parentPort?.on('message', (statements: readonly Statement[]) => parentPort?.postMessage(write(statements)))

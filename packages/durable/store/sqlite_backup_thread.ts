/** The thread of `sqlite_backup.ts`. */
import { parentPort, workerData } from 'node:worker_threads'
import { runSqliteTask, type SqliteTask } from './sqlite_backup.ts'

parentPort?.postMessage(runSqliteTask(workerData as SqliteTask))

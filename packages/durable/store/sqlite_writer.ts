import { once } from 'node:events'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { asError, readErrorCode } from '../errors.ts'
import { createUnitRunner } from './sqlite_execute.ts'
import { openSqliteFile, toDurableError } from './sqlite_file.ts'
import type { Statement } from './statement.ts'

/** Writes into a file beside the event loop, which large values would block. */
export interface SqliteWriter {
  /**
   * Runs statements as one durable transaction. Nobody else of this process may write meanwhile: SQLite would block the
   * event loop. @throws {DurableError} `unavailable`
   */
  write(statements: readonly Statement[]): Promise<void>
  close(): Promise<void>
}

/** The thread's answer; null: the statements are written. */
interface WriterFault {
  readonly message: string
  readonly code: string
}

/** Another process may hold the write lock for this long. */
const busyTimeoutMs = 2000

/** The buffers of byte arrays that have one of their own: they are moved to the thread, and others are copied. */
function ownBuffers(statements: readonly Statement[]): readonly ArrayBuffer[] {
  return statements
    .flatMap(({ values }) => values)
    .flatMap(value =>
      value instanceof Uint8Array && value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength
        ? [value.buffer]
        : [],
    )
}

/** Opens the file in the thread. Returns what writes statements there. */
export function openWriter(file: string): (statements: readonly Statement[]) => WriterFault | null {
  const database = openSqliteFile(file)
  database.pragma(`busy_timeout = ${busyTimeoutMs}`)
  // The log is copied by the thread of `sqlite_checkpoint.ts`.
  database.pragma('wal_autocheckpoint = 0')
  const { execute } = createUnitRunner(database)
  const write = database.transaction((statements: readonly Statement[]) => {
    for (const statement of statements) execute(statement)
  })
  return statements => {
    try {
      write.immediate(statements)
      return null
    } catch (error) {
      return { message: asError(error).message, code: readErrorCode(error) }
    } finally {
      // The garbage collector would free this memory late, because it is outside of its heap.
      for (const buffer of ownBuffers(statements)) buffer.transfer(0)
    }
  }
}

/** A thread that is started by the first write, as most programs write nothing large. */
export function createSqliteWriter(file: string): SqliteWriter {
  let thread: Worker | null = null
  const ask = async (statements: readonly Statement[]): Promise<WriterFault | null> => {
    thread ??= new Worker(join(import.meta.dirname, `sqlite_writer_thread${extname(import.meta.filename)}`), {
      workerData: file,
    })
    thread.ref()
    thread.postMessage(statements, ownBuffers(statements))
    try {
      const [fault] = (await once(thread, 'message')) as [WriterFault | null]
      // It keeps no process alive that has nothing else to do.
      thread.unref()
      return fault
    } catch (error) {
      // It has ended.
      thread = null
      throw toDurableError(error)
    }
  }
  return {
    async write(statements) {
      const fault = await ask(statements)
      if (fault !== null) throw toDurableError(Object.assign(new Error(fault.message), { code: fault.code }))
    },
    close: async () => void (await thread?.terminate()),
  }
}

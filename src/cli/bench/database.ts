import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openStore } from '../../../packages/durable/store/source.ts'
import { run } from '../../../packages/durable/store/statement.ts'
import { readAll, readFirst, type Store } from '../../../packages/durable/store/store.ts'
import { ApiError } from '../../base/api_error.ts'
import { drawBytes } from '../../base/random.ts'
import type { Config } from '../../config/settings.ts'
import { migrateDatabase } from '../../node/open_database.ts'
import { errorLog } from '../command.ts'

/** A database that holds nothing but what the bench writes. */
export interface BenchDatabase {
  readonly config: Pick<Config, 'DATABASE_URL' | 'MASTER_KEY'>
  readonly name: string
  /** Null on a server: it allocates space by the megabyte, which a short run would measure more than its rows. */
  size(): Promise<number | null>
  remove(): Promise<void>
}

const listTables = async (store: Store): Promise<readonly string[]> => {
  const sql = 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()'
  return (await readAll(store, { sql, values: [], columns: { name: 'name' } })).map(({ name }) => name)
}

const withStore = async <T>(address: Config['DATABASE_URL'], work: (store: Store) => Promise<T>): Promise<T> => {
  const store = openStore(address, 2)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Free pages are not counted: what is stored while a transaction is open is deleted with its result. */
const selectUsed = `SELECT (pages.page_count - free.freelist_count) * size.page_size AS bytes
  FROM pragma_page_count() pages, pragma_freelist_count() free, pragma_page_size() size`

const makeFile = async (folder: string): Promise<BenchDatabase> => {
  const own = await mkdtemp(join(folder, 'attestor-bench-'))
  const address = { dialect: 'sqlite', file: join(own, 'bench.sqlite') } as const
  return {
    config: { DATABASE_URL: address, MASTER_KEY: drawBytes(32) },
    name: `SQLite in ${folder}`,
    size: async () =>
      (
        await withStore(address, store =>
          readFirst(store, { sql: selectUsed, values: [], columns: { bytes: 'count' } }),
        )
      )?.bytes ?? null,
    remove: () => rm(own, { recursive: true }),
  }
}

const useServer = async (config: Config): Promise<BenchDatabase> => {
  const { DATABASE_URL } = config
  const tables = await withStore(DATABASE_URL, listTables)
  if (tables.length > 0)
    throw new ApiError('conflict', `DATABASE_URL: has ${tables.length} tables: a bench takes an empty database only`)
  return {
    config: { DATABASE_URL, MASTER_KEY: drawBytes(32) },
    name: 'the database server',
    size: async () => null,
    // The database was empty, so every table is the bench's.
    remove: () =>
      withStore(DATABASE_URL, async store => {
        for (const table of await listTables(store))
          await store.commit(function* () {
            yield* run({ sql: `DROP TABLE \`${table}\``, values: [] })
          })
      }),
  }
}

/**
 * Opens a temporary file. With `isConfigured` it is on the disk of the configured file; on a server it is the
 * configured database.
 * @throws {ApiError} `conflict` where a server's database is not empty
 */
export const openBenchDatabase = async (config: Config, isConfigured: boolean): Promise<BenchDatabase> => {
  const { DATABASE_URL: address } = config
  if (isConfigured && address.dialect !== 'sqlite') return useServer(config)
  return makeFile(isConfigured && address.dialect === 'sqlite' ? dirname(address.file) : tmpdir())
}

export const migrateBenchDatabase = async (config: Config): Promise<void> => {
  await migrateDatabase({ config, log: errorLog })
}

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { tables } from '../../src/database/tables.ts'
import { readNames, readSqlTexts, type SqlText } from './sql_texts.ts'

const root = join(import.meta.dirname, '../..')

/** Names of the databases' own tables. */
const catalogue = [
  'tables',
  'columns',
  'table_schema',
  'table_name',
  'data_length',
  'index_length',
  'processlist',
  'db',
  'sqlite_master',
  'type',
  'migrations',
  'timestamp',
  // Columns that track a migration of a server until it has ended (mysql_migrations.ts).
  'migration_steps',
  'migration',
  'step',
  'statement_sha256',
  'is_done',
  'pages',
  'page_count',
  'freelist_count',
  'free',
  'size',
]

const known = new Set([
  ...catalogue,
  ...Object.entries(tables).flatMap(([name, { columns }]) => [name, ...Object.keys(columns)]),
])

function listUnknown(texts: readonly SqlText[]): readonly string[] {
  const files = Map.groupBy(texts, ({ place }) => place.split(':')[0])
  return [...files.values()]
    .flatMap(readNames)
    .filter(({ name }) => !known.has(name))
    .map(({ place, name }) => `${place} ${name}`)
}

test('SQL written by hand names only tables and columns that there are', t => {
  const files = globSync(['src/**/*.ts', 'packages/durable/{actors,jobs,store}/**/*.ts'], { cwd: root })
  const texts = files
    .filter(file => !/\/(migrations|page)\//.test(file))
    .map(file => [file, readFileSync(join(root, file), 'utf8')] as const)
    .filter(([, text]) => /\b(SELECT|UPDATE|INSERT INTO|DELETE FROM|WHERE|AND)\b/.test(text))
  const read = readSqlTexts(Object.fromEntries(texts))
  t.true(read.length > 250, `${read.length} texts`)
  t.deepEqual(listUnknown(read), [])
})

test('A table or a column that is misspelt in SQL is found', t => {
  const planted = [
    "'UPDATE origins SET failng_since = ? WHERE id = ?'",
    "'SELECT status FROM transactons WHERE id = ?'",
    `\`SELECT ${'$'}{columns} FROM transactions t WHERE t.id = ? AND t.finishd_at IS NULL\``,
    `\`${'$'}{select} ORDER BY create_at\``,
  ]
  const sound =
    "'SELECT c.id AS found, MAX(t.created_at) AS newest FROM customers c JOIN transactions t ON t.customer_id = c.id'"
  const file = [...planted, sound, "'any text with words'"].map((text, n) => `export const t${n} = ${text}`)
  t.deepEqual(listUnknown(readSqlTexts({ 'src/a.ts': file.join('\n') })), [
    'src/a.ts:1 failng_since',
    'src/a.ts:2 transactons',
    'src/a.ts:3 finishd_at',
    'src/a.ts:4 create_at',
  ])
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import mysql from 'mysql2/promise'
import { readConfig } from '../../../../src/config/settings.ts'
import { schema } from '../../../../src/database/schema.ts'
import { eachDialect, testServer } from '../../../../test/database.ts'
import { attestor } from '../../../../test/service/programs.ts'
import { makeCertificate } from '../../../../test/webhooks/receiver.ts'
import type { DatabaseAddress } from '../../store/database_address.ts'
import { migrate, openStore } from '../../store/source.ts'
import { readFirst } from '../../store/store.ts'

const { TEST_MYSQL_URL: url, TEST_MYSQL_CERT: certFile, TEST_MYSQL_KEY: keyFile } = process.env
const mariadb = eachDialect.find(({ name }) => name === 'MariaDB')
const master = Buffer.alloc(32, 7).toString('base64')

/** A user whom the server lets in by TLS alone, and the settings to be this user. */
async function createUser(t: ExecutionContext, demand: 'SSL' | 'X509') {
  if (mariadb === undefined || url === undefined) throw new Error('there is no MariaDB')
  const { address, drop } = await mariadb.empty()
  if (address.dialect !== 'mysql') throw new Error('not a server')
  const name = `tls_${address.database.slice(-20)}`
  const connection = await mysql.createConnection(testServer(url))
  t.teardown(async () => {
    await connection.query(`DROP USER IF EXISTS '${name}'@'%'`)
    await connection.end()
    await drop()
  })
  await connection.query(`CREATE USER '${name}'@'%' IDENTIFIED BY 'secret' REQUIRE ${demand}`)
  await connection.query(`GRANT ALL ON ${address.database}.* TO '${name}'@'%'`)
  const at = (host: string, query = ''): string =>
    `mysql://${name}:secret@${host}:${address.port}/${address.database}${query}`
  return { at }
}

function addressOf(settings: Record<string, string>): DatabaseAddress {
  return readConfig({ MASTER_KEY: master, ...settings }).DATABASE_URL
}

async function readCipher(address: DatabaseAddress): Promise<string> {
  const store = await openStore(address, 2)
  try {
    const sql =
      "SELECT VARIABLE_VALUE AS value FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'SSL_CIPHER'"
    return (await readFirst(store, { sql, values: [], columns: { value: 'name' } }))?.value ?? ''
  } finally {
    await store.close()
  }
}

if (mariadb !== undefined && certFile !== undefined && keyFile !== undefined) {
  test('A server that demands TLS is used by it: by the URL and by the settings, for migrations too', async t => {
    const { at } = await createUser(t, 'SSL')
    const ca = { DATABASE_TLS_CA: certFile }
    const encrypted = addressOf({ DATABASE_URL: at('localhost', '?tls=verify'), ...ca })
    t.true((await migrate(encrypted, schema)).length > 0)
    t.regex(await readCipher(encrypted), /^TLS_/)
    t.regex(await readCipher(addressOf({ DATABASE_URL: at('localhost'), DATABASE_TLS: 'verify', ...ca })), /^TLS_/)
    t.regex(await readCipher(addressOf({ DATABASE_URL: at('127.0.0.1', '?tls=verify-ca'), ...ca })), /^TLS_/)
    await t.throwsAsync(migrate(addressOf({ DATABASE_URL: at('localhost') }), schema), {
      message: /must connect by TLS, or with a certificate/,
    })
  })

  test('A certificate of an unknown authority, and one that names another host, are refused', async t => {
    const { at } = await createUser(t, 'SSL')
    const unknown = addressOf({ DATABASE_URL: at('localhost', '?tls=verify') })
    await t.throwsAsync(migrate(unknown, schema), { message: /self.signed/ })
    const folder = mkdtempSync(join(tmpdir(), 'attestor-tls-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const other = join(folder, 'other.pem')
    writeFileSync(other, (await makeCertificate(['localhost'], [])).cert)
    const wrong = addressOf({ DATABASE_URL: at('localhost', '?tls=verify-ca'), DATABASE_TLS_CA: other })
    await t.throwsAsync(migrate(wrong, schema), { message: /self.signed|unable to verify|signature/i })
    const named = { DATABASE_TLS_CA: certFile, DATABASE_TLS: 'verify' }
    const elsewhere = addressOf({ DATABASE_URL: at('ip6-localhost'), ...named })
    await t.throwsAsync(migrate(elsewhere, schema))
  })

  test('A server that asks for a certificate gets it', async t => {
    const { at } = await createUser(t, 'X509')
    const settings = { DATABASE_URL: at('localhost', '?tls=verify'), DATABASE_TLS_CA: certFile }
    await t.throwsAsync(migrate(addressOf(settings), schema), { message: /must connect by TLS, or with a certificate/ })
    const own = { DATABASE_TLS_CERT: certFile, DATABASE_TLS_KEY: keyFile }
    t.regex(await readCipher(addressOf({ ...settings, ...own })), /^TLS_/)
  })

  test('A backup goes by TLS too', async t => {
    const { at } = await createUser(t, 'SSL')
    const environment = {
      DATABASE_URL: at('localhost', '?tls=verify'),
      DATABASE_TLS_CA: certFile,
      MASTER_KEY: master,
      PATH: process.env.PATH ?? '',
    }
    t.is((await attestor(['migrate'], environment)).code, 0)
    const folder = mkdtempSync(join(tmpdir(), 'attestor-tls-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const { code, stderr } = await attestor(['backup', join(folder, 'backup'), '--json'], environment)
    t.deepEqual([code, stderr], [0, ''])
  })
}

test('TLS settings that cannot work stop the start', t => {
  const fails = (settings: Record<string, string>, message: RegExp): void => {
    t.throws(() => addressOf(settings), { message })
  }
  const at = (host: string, query = ''): string => `mysql://u:p@${host}/db${query}`
  fails({ DATABASE_URL: at('db', '?ssl={"rejectUnauthorized":true}') }, /DATABASE_URL: has an unknown parameter: ssl/)
  fails({ DATABASE_URL: at('db', '?tls=verify&charset=x') }, /unknown parameter: charset/)
  fails({ DATABASE_URL: at('db', '?tls=yes') }, /DATABASE_URL: tls: /)
  fails({ DATABASE_URL: at('10.0.0.1', '?tls=verify') }, /must name its hosts/)
  fails({ DATABASE_URL: at('db', '?tls=verify'), DATABASE_TLS_CA: '/none.pem' }, /DATABASE_TLS_CA: can't be read/)
  fails(
    { DATABASE_URL: at('db', '?tls=verify'), DATABASE_TLS_CERT: import.meta.filename },
    /DATABASE_TLS_KEY: goes with/,
  )
  t.deepEqual(addressOf({ DATABASE_URL: at('db') }), {
    dialect: 'mysql',
    host: 'db',
    port: 3306,
    user: 'u',
    password: 'p',
    database: 'db',
  })
})

/**
 * The floor of a read: bare Koa and one route that does the same duties by hand. It knows the caller by its token's
 * digest, selects the same columns, decrypts the result, sets the same headers and logs the same line. `BENCH_BARE=1`
 * leaves caller, headers and log out: one route with one SELECT.
 */
import { createDecipheriv, createSecretKey, type KeyObject, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connectionOptions, openSqliteFile } from 'durable-xstate-sql/testing'
import Koa from 'koa'
import mysql from 'mysql2/promise'
import { pino } from 'pino'
import { deriveKey } from '../../src/base/encryption.ts'
import { sha256 } from '../../src/base/ids.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/settings.ts'
import { openPresentDatabase } from '../../src/node/open_database.ts'
import { answerQuestions, cpuMilliseconds } from './measure.ts'

const { BENCH_BARE: bare, ...environment } = process.env
const hasDuties = bare !== '1'
const config = readConfig(environment)
// The service does the same at its start: the master key opens the root key, which is stored.
const { store, serviceKeys } = await openPresentDatabase({ config, log: silentLog })
await store.close()
const customersKey = createSecretKey(deriveKey(serviceKeys.roots[0] ?? Buffer.alloc(0), 'customers'))
const log = pino({ base: null, messageKey: 'message', timestamp: pino.stdTimeFunctions.isoTime })
const access_token = randomUUID()
const callers = new Map([[sha256(access_token), 'account']])
const pathPattern = /^\/api\/account\/integration\/kyc\/transaction\/([\da-f-]{36})$/
const sql = `SELECT t.id, t.customer_id, t.status, t.created_at, t.initiated_at, t.completed_at, t.processing_at,
  t.finished_at, t.result, c.data_key FROM transactions t LEFT JOIN customers c ON c.id = t.customer_id WHERE t.id = ?`

/** The service's response headers, under the same names. */
const fixedHeaders = {
  'Content-Security-Policy': "default-src 'none';frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
  'Cache-Control': 'no-store',
}

interface Row {
  readonly id: string
  readonly customer_id: string
  readonly status: string
  readonly created_at: number
  readonly initiated_at: number | null
  readonly completed_at: number | null
  readonly processing_at: number | null
  readonly finished_at: number | null
  readonly result: Buffer | null
  readonly data_key: Buffer
}

function openReader(): (id: string) => Promise<Row | undefined> {
  const { DATABASE_URL: address } = config
  if (address.dialect === 'sqlite') {
    const statement = openSqliteFile(address.file).prepare<[string], Row>(sql)
    return async id => statement.get(id)
  }
  const pool = mysql.createPool(connectionOptions(address))
  return async id => (await pool.execute<(Row & mysql.RowDataPacket)[]>(sql, [id]))[0][0]
}

const readRow = openReader()

function decrypt(key: KeyObject, aad: string, encrypted: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, 12))
  decipher.setAAD(Buffer.from(aad)).setAuthTag(encrypted.subarray(12, 28))
  return Buffer.concat([decipher.update(encrypted.subarray(28)), decipher.final()])
}

/** The floor keeps a customer's key for calls that come close together, as the service does. */
const keys = new Map<string, KeyObject>()

function openKey({ customer_id, data_key }: Row): KeyObject {
  const kept = keys.get(customer_id)
  if (kept !== undefined) return kept
  const key = createSecretKey(decrypt(customersKey, `customers/${customer_id}/data_key`, data_key))
  keys.set(customer_id, key)
  return key
}

function readResult(row: Row): unknown {
  return row.result === null
    ? null
    : JSON.parse(decrypt(openKey(row), `transactions/${row.id}/result`, row.result).toString('utf8'))
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

const app = new Koa()
app.use(async ctx => {
  const started_at = Date.now()
  const request_id = ctx.get('X-Request-Id') || randomUUID()
  if (hasDuties) ctx.set({ ...fixedHeaders, 'X-Request-Id': request_id })
  const id = pathPattern.exec(ctx.path)?.[1]
  if (id === undefined) return ctx.throw(404)
  if (hasDuties && !callers.has(sha256(ctx.get('authorization').slice('Bearer '.length)))) ctx.throw(401)
  const row = await readRow(id)
  if (row === undefined) return ctx.throw(404)
  ctx.body = {
    id,
    customer_id: row.customer_id,
    status: row.status,
    created_at: iso(row.created_at),
    initiated_at: iso(row.initiated_at),
    completed_at: iso(row.completed_at),
    processing_at: iso(row.processing_at),
    finished_at: iso(row.finished_at),
    result_data: readResult(row),
  }
  if (!hasDuties) return
  const { method, status } = ctx
  const duration_ms = Date.now() - started_at
  log.info(
    { request_id, method, route: '/transaction/:id', ids: [id], status, duration_ms, at: iso(started_at) },
    'call',
  )
})
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')

answerQuestions({
  ready: () => ({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, access_token }),
  usage: () => ({ cpu_ms: cpuMilliseconds() }),
})

/** The floor of a read: bare Koa, one route, one `SELECT` of the same row. */

import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { readConfig } from '../../src/config.ts'
import { openFloor } from './floor_commit.ts'
import { answerQuestions, cpuMilliseconds } from './measure.ts'

const database = openFloor(readConfig(process.env).DATABASE_URL, 'tuned')
const app = new Koa()
app.use(async ctx => {
  const id = ctx.path.slice(ctx.path.lastIndexOf('/') + 1)
  const rows = await database.read({ sql: 'SELECT * FROM transactions WHERE id = ?', values: [id] })
  const { customer_id, status, created_at, finished_at } = (Array.isArray(rows) ? rows[0] : rows) as Record<
    string,
    unknown
  >
  ctx.body = { id, customer_id, status, created_at, finished_at }
})
const server = app.listen(0, '127.0.0.1')

answerQuestions({
  ready: () => ({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, access_token: 'none' }),
  usage: () => ({ cpu_ms: cpuMilliseconds() }),
})

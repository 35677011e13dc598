import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import test, { type ExecutionContext } from 'ava'
import Koa from 'koa'
import { unavailable } from '../../src/base/api_error.ts'
import { logBrokenResponse } from '../../src/http/errors.ts'
import { setRequestId } from '../../src/http/request_id.ts'

type Line = Readonly<Record<string, unknown>>

/** Serves a body that breaks off after its first piece, and resolves with the line that was logged. */
async function breakOff(t: ExecutionContext, reason: Error): Promise<Line> {
  const { promise, resolve } = Promise.withResolvers<Line>()
  const logAt = (level: string) => (fields: Line, message: string) => resolve({ ...fields, message, level })
  const app = new Koa()
  app.on(
    'error',
    logBrokenResponse({ debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') }),
  )
  const pieces = async function* () {
    yield 'first'
    throw reason
  }
  app.use(setRequestId).use(ctx => {
    ctx.body = Readable.from(pieces())
  })
  const server = createServer(app.callback()).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}`)
  t.is(answer.status, 200)
  await t.throwsAsync(answer.text(), { message: 'terminated' })
  return promise
}

test('a fault of the program in the middle of a response is logged as an error, with its stack', async t => {
  const line = await breakOff(t, new TypeError('a fault'))
  t.like(line, { level: 'error', message: 'a response broke off', name: 'TypeError' })
  t.regex(String(line.stack), /TypeError: a fault\n/)
  t.truthy(line.request_id)
})

test('a database that went away in the middle of a response is a warning that names it', async t => {
  const line = await breakOff(t, unavailable('the database is unavailable'))
  t.like(line, { level: 'warn', code: 'unavailable', reason: 'the database is unavailable' })
})

test('a caller who hung up is no fault', async t => {
  const gone = Object.assign(new Error('premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  t.like(await breakOff(t, gone), { level: 'info', message: 'a connection broke' })
})

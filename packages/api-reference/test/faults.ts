import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Database from 'better-sqlite3'
import { createHttpServer, serveWhileStarting } from '../../../src/http/server.ts'
import { sqlite } from '../../../test/database.ts'
import { tokenForm } from '../../../test/service/client.ts'
import { openRig } from '../../../test/service/rig.ts'
import { type ApiDocument, listErrorCodes, listRoutes, type Route } from '../openapi.ts'
import { callWrongly, type FailingCall, type Failure } from './failing_calls.ts'
import { createLink, openWorld, type World } from './failing_world.ts'

/** The answers of each operation to faults that are not its caller's, by the code of the error. */
export type Faults = Readonly<Record<string, Readonly<Record<string, Failure>>>>

const garbage = Buffer.alloc(64, 'garbage')

/** Values that somebody has written over: each row of a table has the same. */
const overwritten = [
  ['transactions', 'snapshot', '}{'],
  ['transactions', 'config', '}{'],
  ['customers', 'data_key', garbage],
  ['customers', 'profile', garbage],
  ['captures', 'content', garbage],
] as const

/** A call that is right in all but what the service finds. */
function callRightly(route: Route, world: World, more: FailingCall): FailingCall {
  const { operationId, security = [] } = route.operation
  const isDevices = security.some(one => 'sdk_token' in one)
  return {
    token: isDevices ? (world.ofFeatures[operationId] ?? world.devices.started) : world.accessToken,
    ...(operationId === 'requestToken' ? { body: new URLSearchParams(tokenForm(world.rig.account)).toString() } : {}),
    ...more,
    path: {
      customer_id: world.customerId,
      transaction_id: world.paths.cancelTransaction?.transaction_id ?? '',
      kind: 'selfie',
      ...world.open[operationId],
      ...world.paths[operationId],
      ...more.path,
    },
  }
}

/** These change what others need, or turn the clock past it. */
const last = ['cancelSession', 'advanceTestClock', 'eraseTransaction', 'eraseCustomer']

async function callEach(
  url: string,
  routes: readonly Route[],
  world: World,
  code: string,
  more: FailingCall = {},
): Promise<ReadonlyMap<string, Failure>> {
  const found = new Map<string, Failure>()
  const documenting = routes.filter(({ operation }) => listErrorCodes(operation).includes(code))
  const inOrder = documenting.toSorted(
    (one, other) => last.indexOf(one.operation.operationId) - last.indexOf(other.operation.operationId),
  )
  for (const route of inOrder) {
    const failure = await callWrongly(url, route, callRightly(route, world, more))
    if (failure.code === code) found.set(route.operation.operationId, failure)
  }
  return found
}

/** A node that has its address, and nothing behind it yet. */
async function callWhileStarting(routes: readonly Route[], world: World): Promise<ReadonlyMap<string, Failure>> {
  const server = createHttpServer()
  serveWhileStarting(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await callEach(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, routes, world, 'unavailable')
  } finally {
    server.close()
  }
}

/** Damages rows, then the database, and calls every operation; and calls a node that starts. */
export async function runFaults(): Promise<Faults> {
  const rig = await openRig(sqlite, hook => ({ HANDOFF_WEBHOOK: hook.url }), 'test')
  const { address } = rig.database
  if (address.dialect !== 'sqlite') throw new Error('the rows of a file are damaged')
  const database = new Database(address.file)
  try {
    const world = await openWorld(rig)
    const link = await createLink(rig, world.paths.cancelTransaction?.transaction_id ?? '')
    const { body } = await rig.call('GET', '/openapi.json')
    const routes = listRoutes((body as unknown as ApiDocument).paths)
    const { url } = rig.node()
    const unavailable = await callWhileStarting(routes, world)
    for (const [table, column, value] of overwritten) database.prepare(`UPDATE ${table} SET ${column} = ?`).run(value)
    // A developer's machine waits for a delivery, which nothing can send.
    const reading = routes.filter(({ operation }) => operation.operationId !== 'listen')
    const damaged = await callEach(url, reading, world, 'damaged', { path: { link } })
    const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    for (const name of database.prepare<[], string>(tables).pluck().all())
      database.exec(`ALTER TABLE "${name}" RENAME TO "${name}_away"`)
    const internal = await callEach(url, routes, world, 'internal_error', { path: { link } })
    const faults: Record<string, Record<string, Failure>> = {}
    for (const [code, found] of Object.entries({ unavailable, damaged, internal_error: internal }))
      for (const [operationId, failure] of found) faults[operationId] = { ...faults[operationId], [code]: failure }
    return faults
  } finally {
    database.close()
    await rig.end(false)
    await rig.close()
  }
}

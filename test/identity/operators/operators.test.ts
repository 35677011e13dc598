import { scryptSync } from 'node:crypto'
import test from 'ava'
import { readAll, run, type Unit } from 'durable-xstate-sql'
import fc from 'fast-check'
import type { TableRow } from '../../../src/database/schema.ts'
import {
  type AuditEnds,
  appendAudit,
  commandLine,
  readAuditEnds,
  removeOldAudit,
} from '../../../src/identity/operators/audit.ts'
import {
  BrokenAuditError,
  createAuditChecker,
  exportAudit,
  readAudit,
} from '../../../src/identity/operators/audit_export.ts'
import { listAudit } from '../../../src/identity/operators/audit_log.ts'
import { type LoginAttempt, logIn } from '../../../src/identity/operators/login.ts'
import { createDeviceMark, inLine, readDeviceMark } from '../../../src/identity/operators/login_lines.ts'
import {
  createOperator,
  disableOperator,
  listOperators,
  type OperatorCredentials,
  resetOperator,
} from '../../../src/identity/operators/operators.ts'
import { hashPassword, isPassword, nobodysHash } from '../../../src/identity/operators/passwords.ts'
import { endSession, findSession, isSessionOpen, listSessions } from '../../../src/identity/operators/sessions.ts'
import { describeTotp, findTotpStep } from '../../../src/identity/operators/totp.ts'
import { dearPassword } from '../../cheap_passwords.ts'
import { oneDialect } from '../../database.ts'
import { codeAt, type OperatorRig, openOperators } from './rig.ts'

const minute = 60_000
const address = '192.0.2.1'
const user_agent = 'a browser'

function attemptOf(
  rig: OperatorRig,
  { name, password, totp }: OperatorCredentials,
  changes: Partial<LoginAttempt> = {},
): LoginAttempt {
  return { name, password, code: codeAt(rig.clock.now(), totp.secret), address, user_agent, device: '', ...changes }
}

async function actionsOf({ store }: OperatorRig): Promise<readonly string[]> {
  return (
    await readAll(store, { sql: 'SELECT action FROM audit ORDER BY sequence', values: [], columns: { action: 'word' } })
  ).map(row => row.action)
}

async function readAllAudit({ store }: OperatorRig) {
  const rows: TableRow<'audit'>[] = []
  for await (const row of readAudit(store, Number.MAX_SAFE_INTEGER)) rows.push(row)
  return rows
}

/** Returns the fault of these entries; null for none. */
function faultOf(rows: readonly TableRow<'audit'>[], ends: AuditEnds): string | null {
  const checker = createAuditChecker(ends.anchor)
  try {
    for (const row of rows) checker.check(row)
    checker.end(ends.head)
    return null
  } catch (error) {
    return error instanceof BrokenAuditError ? error.message : String(error)
  }
}

test('a one-time code is that of RFC 6238 appendix B, and good one step before and after', t => {
  const secret = Buffer.from('12345678901234567890')
  // The appendix has eight digits: these are the last six of each.
  const vectors = [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ] as const
  for (const [seconds, code] of vectors) {
    const step = Math.floor(seconds / 30)
    t.is(findTotpStep('ada', secret, code, seconds * 1000), step)
    t.is(findTotpStep('ada', secret, code, (seconds + 30) * 1000), step)
    t.is(findTotpStep('ada', secret, code, (seconds - 30) * 1000), step)
    t.is(findTotpStep('ada', secret, code, (seconds + 61) * 1000), null)
  }
  const { uri, qr } = describeTotp('ada', secret)
  t.is(
    uri,
    'otpauth://totp/Attestor:ada?issuer=Attestor&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30',
  )
  t.true(qr.every(row => row.length === qr.length))
})

test('a password is right in whatever form its characters are composed, and no other is', async t => {
  const stored = await hashPassword('na\u00efve caf\u00e9 42')
  t.true(await isPassword('nai\u0308ve cafe\u0301 42', stored))
  t.false(await isPassword('naive cafe 42', stored))
  t.false(await isPassword('', nobodysHash))
  t.not(stored, await hashPassword('na\u00efve caf\u00e9 42'))
})

test('a password’s hash has taken as much work as OWASP advises, and as it says itself', async t => {
  const [name, N, r, p, salt = '', hash = ''] = (await hashPassword(dearPassword)).split('$')
  t.deepEqual([name, N, r, p], ['scrypt', '16384', '8', '5'])
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  t.is(scryptSync(dearPassword, Buffer.from(salt, 'base64url'), 32, cost).toString('base64url'), hash)
})

for (const engine of oneDialect) {
  test(`On ${engine.name} name, password and code open a session, and each code only once`, async t => {
    const rig = await openOperators(engine)
    t.teardown(rig.drop)
    const ada = await rig.newOperator('Ada')
    t.is(ada.name, 'ada')
    for (const wrong of [{ password: 'not hers at all' }, { code: '000000' }, { name: 'bob' }])
      t.is(await logIn(rig, attemptOf(rig, ada, wrong)), null)
    const both = await Promise.all([logIn(rig, attemptOf(rig, ada)), logIn(rig, attemptOf(rig, ada))])
    t.is(both.filter(one => one !== null).length, 1)
    t.is(await logIn(rig, attemptOf(rig, ada)), null, 'a code that was used')
    await rig.clock.advance(30_000)
    t.truthy(await logIn(rig, attemptOf(rig, ada, { name: ' ADA ' })))
    const expected = [
      'operator_created',
      // Ada, an unknown name, and at the minute's end the number of Ada's further attempts.
      ...Array(3).fill('login_refused'),
      'login',
      'login',
    ]
    await rig.refusals.flush()
    t.like((await readAllAudit(rig)).at(-1), { action: 'login_refused', details: '{"count":3}' })
    t.deepEqual((await actionsOf(rig)).toSorted(), expected.toSorted())
    t.truthy((await listOperators(rig.store))[0]?.last_login_at)
  })

  test(`On ${engine.name} refused calls without a credential fill no log: the sums of a minute do`, async t => {
    const rig = await openOperators(engine)
    t.teardown(rig.drop)
    for (let n = 0; n < 1000; n++)
      await rig.refusals.record({ operator_id: null, address: `192.0.2.${n % 200}` }, 'token_refused')
    const counted = async () => {
      // A commit comes after those that are under way.
      await readAuditEnds(rig.store)
      const rows = await readAllAudit(rig)
      const counts = rows.map(({ details }) => (JSON.parse(details) as { count?: number }).count ?? 1)
      return [rows.length, counts.reduce((sum, count) => sum + count, 0)]
    }
    t.deepEqual(await counted(), [50, 50])
    await rig.clock.advance(minute)
    t.deepEqual(await counted(), [101, 1000])
    t.is(faultOf(await readAllAudit(rig), await readAuditEnds(rig.store)), null)
    await rig.refusals.record({ operator_id: null, address: '192.0.2.1' }, 'token_refused')
    t.deepEqual(await counted(), [102, 1001], 'the next minute begins with an entry')
  })

  test(`On ${engine.name} an operator’s own device does not wait for strangers, nor they for it`, async t => {
    const rig = await openOperators(engine)
    t.teardown(rig.drop)
    const { serviceKeys, clock } = rig
    const mark = createDeviceMark(serviceKeys, 'ada', clock.now() + minute)
    t.is(readDeviceMark(serviceKeys, mark, clock.now()), 'ada')
    t.is(readDeviceMark(serviceKeys, mark, clock.now() + minute), null)
    t.is(readDeviceMark(serviceKeys, mark.replace('ada', 'bob'), clock.now()), null)
    t.is(readDeviceMark({ ...serviceKeys, lookup: Buffer.alloc(32, 9) }, mark, clock.now()), null)
    const gate = Promise.withResolvers<void>()
    const order: string[] = []
    const strangers = Array.from({ length: 40 }, (_, n) =>
      inLine('strangers', async () => {
        await gate.promise
        order.push(String(n))
      }),
    )
    await t.throwsAsync(
      inLine('strangers', async () => {}),
      { message: 'login: too many at once' },
    )
    await inLine('known', async () => void order.push('known'))
    gate.resolve()
    await Promise.all(strangers)
    t.deepEqual(order.slice(0, 3), ['known', '0', '1'])
  })

  test(`On ${engine.name} a session ends when it is idle, old, revoked, or its operator disabled or reset`, async t => {
    const rig = await openOperators(engine)
    t.teardown(rig.drop)
    const ada = await rig.newOperator('ada')
    const bob = await rig.newOperator('bob', 'viewer')
    const open = async (who: OperatorCredentials) => {
      await rig.clock.advance(90_000)
      const opened = await logIn(rig, attemptOf(rig, who))
      if (opened === null) throw new Error('refused')
      return opened
    }
    const idle = await open(ada)
    await rig.clock.advance(30 * minute - 1)
    t.truthy(await findSession(rig, idle.token, address))
    await rig.clock.advance(30 * minute)
    t.is(await findSession(rig, idle.token, address), null)
    t.false(await isSessionOpen(rig, idle.caller.session_id))

    const old = await open(ada)
    for (let hour = 0; hour < 36; hour++) {
      await rig.clock.advance(20 * minute - 1)
      t.truthy(await findSession(rig, old.token, address))
    }
    await rig.clock.advance(minute)
    t.is(await findSession(rig, old.token, address), null, 'twelve hours are enough')

    const one = await open(ada)
    const two = await open(bob)
    t.is((await listSessions(rig, one.caller)).length, 2, 'an admin sees everybody’s')
    t.is((await listSessions(rig, two.caller)).length, 1)
    await t.throwsAsync(endSession(rig, two.caller, one.caller.session_id), { message: 'session_id: not found' })
    await endSession(rig, one.caller, two.caller.session_id)
    t.is(await findSession(rig, two.token, address), null)

    const again = await open(bob)
    await disableOperator(rig, 'bob', commandLine)
    t.is(await findSession(rig, again.token, address), null)
    await rig.clock.advance(90_000)
    t.is(await logIn(rig, attemptOf(rig, bob)), null)
    const fresh = await resetOperator(rig, { operator: 'bob' }, commandLine)
    t.is(await logIn(rig, attemptOf(rig, bob)), null, 'the old secrets')
    const back = await open(fresh)
    t.is((await findSession(rig, back.token, address))?.role, 'viewer')
    t.is(await findSession(rig, `${back.token}x`, address), null)
  })

  test(`On ${engine.name} the audit log is a chain that shows every change, in whatever order it is written`, async t => {
    const rig = await openOperators(engine)
    t.teardown(rig.drop)
    const { store } = rig
    await rig.newOperator('ada')
    await Promise.all(Array.from({ length: 8 }, (_, n) => rig.newOperator(`other${n}`, 'viewer')))
    const rows = await readAllAudit(rig)
    t.deepEqual(
      rows.map(({ sequence }) => sequence),
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
    )
    const ends = await readAuditEnds(store)
    t.is(faultOf(rows, ends), null)
    t.is(faultOf(rows.slice(3), ends), 'audit: entry 1 is missing')
    t.is(faultOf(rows.slice(0, -1), ends), 'audit: entry 9 is missing')
    const passes = (kept: typeof rows): boolean => faultOf(kept, ends) === null
    fc.assert(
      fc.property(
        fc.nat(8),
        fc.constantFrom('address', 'action', 'details', 'subject_id', 'operator_id'),
        (at, name) => {
          const changed = rows.map((row, index) => (index === at ? { ...row, [name]: 'x' } : row))
          return !passes(changed) && !passes(rows.toSpliced(at, 1))
        },
      ),
    )
    const filter = { operator_id: null, client_id: null, action: null, subject_id: null, from: null, to: null }
    const page = await listAudit(store, filter, { before: null, limit: 4 })
    t.deepEqual([page.data.map(({ sequence }) => sequence), page.next], [[9, 8, 7, 6], 6])
    t.is((await listAudit(store, { ...filter, action: 'login' }, { before: null, limit: 4 })).data.length, 0)
  })

  test(`On ${engine.name} the rest of the audit log can be checked after old entries were removed`, async t => {
    const rig = await openOperators(engine)
    t.teardown(rig.drop)
    const { store } = rig
    for (const name of ['ada', 'bob', 'cleo']) {
      await rig.newOperator(name)
      await rig.clock.advance(minute)
    }
    t.is(await removeOldAudit(rig, rig.clock.now() - 3 * minute), 0)
    t.is(await removeOldAudit(rig, rig.clock.now() - minute), 2)
    t.is(await removeOldAudit(rig, rig.clock.now() - minute), 0)
    const rows = await readAllAudit(rig)
    t.deepEqual(
      rows.map(({ sequence, action }) => [sequence, action]),
      [
        [3, 'operator_created'],
        [4, 'audit_removed'],
      ],
    )
    t.is(rows[1]?.address, 'service')
    const ends = await readAuditEnds(store)
    t.is(faultOf(rows, ends), null)
    const forged = { ...ends, anchor: { sequence: 3, hash: rows[0]?.hash ?? '' } }
    t.is(faultOf(rows.slice(1), forged), 'audit: entries up to 3 are missing, and no entry says so')
    await rig.clock.advance(minute)
    t.is(await removeOldAudit(rig, rig.clock.now() + minute), 2)
    const lines: string[] = []
    for await (const line of exportAudit(store)) lines.push(line)
    t.like(JSON.parse(lines.join('')), { sequence: 5, action: 'audit_removed', details: { last_sequence: 4 } })
    await store.commit(() => run({ sql: 'DELETE FROM audit', values: [] }))
    await t.throwsAsync(exportAudit(store).next(), { message: 'audit: entry 5 is missing' })
  })

  test(`On ${engine.name} a thousand entries of the audit log are removed at a time`, async t => {
    const rig = await openOperators(engine)
    t.teardown(rig.drop)
    await rig.store.commit(function* (): Unit<void> {
      for (let n = 0; n < 1010; n++) yield* appendAudit(rig.store, n, commandLine, { action: 'login' })
    })
    const until = rig.clock.now()
    const removed = [
      await removeOldAudit(rig, until),
      await removeOldAudit(rig, until),
      await removeOldAudit(rig, until),
    ]
    t.deepEqual(removed, [1000, 10, 0])
    t.is(faultOf(await readAllAudit(rig), await readAuditEnds(rig.store)), null)
  })

  test(`On ${engine.name} an operator needs a name of their own and a long password`, async t => {
    const rig = await openOperators(engine)
    t.teardown(rig.drop)
    await rig.newOperator('ada')
    await t.throwsAsync(rig.newOperator('ADA'), { message: 'name: is taken' })
    const create = (name: string, password: string) =>
      createOperator(rig, { name, role: 'viewer', password }, commandLine)
    await t.throwsAsync(create('bob', 'short'), { message: 'password: must be a string of 12 to 256 characters' })
    for (const name of ['', ' ', 'a b', '\u0000', 'é', 'x'.repeat(65), '../x'])
      await t.throwsAsync(create(name, 'long enough to be one'), { message: /^name: must be/ })
    await t.throwsAsync(resetOperator(rig, { operator: 'nobody' }, commandLine), { message: 'operator: not found' })
    t.is((await listOperators(rig.store)).length, 1)
  })
}

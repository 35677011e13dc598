import { readQueueDepths, rowExists } from 'durable-xstate-sql/sql'
import { isoDate, isoTimestamp } from '../../base/clock.ts'
import type { Role } from '../../database/words.ts'
import { checkFeatures } from '../../feature_commands.ts'
import { tokenLifetimeSeconds } from '../../identity/accounts/access_token.ts'
import { readRotation } from '../../identity/keys/root_key_rotation.ts'
import { readKeys } from '../../identity/keys/signing_keys.ts'
import { readKeyStates } from '../../identity/keys/webhook_keys.ts'
import { listOperators } from '../../identity/operators/operators.ts'
import { includesRole } from '../../identity/operators/roles.ts'
import { readPausedOrigins } from '../../webhooks/origins.ts'
import type { DoctorContext } from './database.ts'
import { error, type Finding, ok, orOk, warning } from './finding.ts'

const yearMs = 365 * 24 * 3_600_000

async function checkKeys({ store, clock, serviceKeys, config }: DoctorContext): Promise<readonly Finding[]> {
  const now = clock.now()
  const states = readKeyStates(await readKeys(store, serviceKeys, 'webhook'), now)
  const active = states.find(({ state }) => state === 'active')?.key
  if (active === undefined) return [ok('keys', 'there is no webhook key yet: the first start of a node makes it')]
  const next = states.find(({ state }) => state === 'next')?.key
  const rotate = 'Rotate it: attestor keys rotate.'
  const age = `the webhook key ${active.kid} signs since ${isoDate(active.active_at)}`
  if (next !== undefined) return [ok('keys', `${age}; ${next.kid} follows at ${isoTimestamp(next.active_at)}`)]
  if (active.alg !== config.WEBHOOK_ALGORITHM)
    return [warning('keys', `${age} with ${active.alg}, not ${config.WEBHOOK_ALGORITHM}`, 'Restart a node.')]
  return [now - active.active_at > yearMs ? warning('keys', age, rotate) : ok('keys', age)]
}

/** A rotation of the root key that somebody has to finish. */
async function checkRootKey({ store, clock }: DoctorContext): Promise<readonly Finding[]> {
  const rotation = await readRotation(store)
  if (rotation === null) return []
  const { step, switched_at } = rotation
  const since = switched_at === null ? '' : `; the new one encrypts since ${isoTimestamp(switched_at)}`
  const message = `the root key is being replaced (${step})${since}`
  const waits = step === 'encrypted' && clock.now() < (switched_at ?? 0) + tokenLifetimeSeconds * 1000
  return [waits ? ok('keys', message) : warning('keys', message, 'Finish it: attestor root-key rotate.')]
}

/** Finds roles that no running node has. */
async function checkRoles({ store, config }: DoctorContext): Promise<readonly Finding[]> {
  const operators = await listOperators(store)
  const can = (role: Role): boolean => operators.some(one => one.disabled_at === null && includesRole(one.role, role))
  const reviews = await rowExists(store, { sql: "SELECT id FROM accounts WHERE review = 'on' LIMIT 1", values: [] })
  const create = (role: Role) => `Create one: attestor operator create NAME --role ${role}.`
  const findings = [
    ...(reviews && !can('reviewer')
      ? [
          error(
            'roles',
            `accounts have reviews, and nobody reviews: their transactions wait for ${config.REVIEW_HOURS} hours`,
            create('reviewer'),
          ),
        ]
      : []),
    ...(operators.length > 0 && !can('admin') ? [warning('roles', 'no operator is an admin', create('admin'))] : []),
  ]
  return orOk('roles', operators.length === 0 ? 'there are no operators' : 'every role has somebody', findings)
}

const remedies = {
  analysis: 'Start a node with the role analysis, or more analysis processes.',
  worker: 'Start a node with the role worker, or one more.',
} as const

/** A row of a queue is late after `lateMs`; the remedy is for that case. */
const queues = {
  admission: { lateMs: 60_000, remedy: remedies.analysis },
  analysis: { lateMs: 60_000, remedy: remedies.analysis },
  attempt: { lateMs: 60_000, remedy: remedies.worker },
  timer: { lateMs: 30_000, remedy: remedies.worker },
} as const

/** Finds work that is due and that no node does. */
async function checkQueues({ store, clock }: DoctorContext): Promise<readonly Finding[]> {
  const now = clock.now()
  const depths = await readQueueDepths(store, Object.keys(queues), now)
  const late = Object.entries(queues).flatMap(([queue, { lateMs, remedy }]) => {
    const depth = depths.get(queue)
    if (depth === undefined || now - depth.oldest_at < lateMs) return []
    const message = `${depth.waiting} wait in the queue ${queue}, the oldest since ${isoTimestamp(depth.oldest_at)}`
    return [warning('queues', message, remedy)]
  })
  return orOk('queues', 'nothing waits for long', late)
}

async function checkReceivers({ store }: DoctorContext): Promise<readonly Finding[]> {
  const paused = await readPausedOrigins(store)
  return orOk(
    'webhooks',
    'no receiver is paused',
    paused.map(({ origin, account_id, paused_at }) =>
      warning(
        'webhooks',
        `${origin} of the account ${account_id} is paused since ${isoTimestamp(paused_at ?? 0)}`,
        `When it works again: attestor webhook resume ${origin} --account ${account_id}.`,
      ),
    ),
  )
}

/** Examines how the service is run, by the rows of its database. */
export async function checkService(context: DoctorContext): Promise<readonly Finding[]> {
  return [
    ...(await checkKeys(context)),
    ...(await checkRootKey(context)),
    ...(await checkRoles(context)),
    ...(await checkQueues(context)),
    ...(await checkReceivers(context)),
    ...(await checkFeatures(context)),
  ]
}

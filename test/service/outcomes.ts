import type { ExecutionContext } from 'ava'
import type { Opened, Rig } from './rig.ts'

/** Get transaction returns exactly these fields, in every status. */
export const transactionFields = [
  'completed_at',
  'created_at',
  'customer_id',
  'finished_at',
  'id',
  'initiated_at',
  'processing_at',
  'result_data',
  'status',
]

export interface Issue {
  readonly type: string
  readonly code: string
  readonly message: string
}

export interface Result {
  readonly decision: string
  readonly issues: readonly Issue[]
  readonly document?: { readonly status: string }
  readonly liveness?: { readonly status: string }
  readonly face_comparison?: { readonly status: string; readonly data: Readonly<Record<string, unknown>> }
  readonly metadata: Readonly<Record<string, unknown>>
}

export function getResult(view: Readonly<Record<string, unknown>>): Result {
  return view.result_data as Result
}

export function listCodes(view: Readonly<Record<string, unknown>>): string[] {
  return getResult(view).issues.map(({ code }) => code)
}

/** The statuses that the hook was notified of, in their order. */
export function listNotified({ hook }: Rig, id: string): unknown[] {
  return hook.received.filter(({ body }) => body.transaction_id === id).map(({ body }) => body.status)
}

/** Opens a transaction, takes every step, completes, and waits until nothing is left to do. */
export async function verify(
  rig: Rig,
  config: object = {},
  body: { transaction_type?: string; customer_id?: string } = {},
) {
  const opened = await rig.open(config, body)
  await opened.phone.capture(body.transaction_type)
  const completed = await opened.phone.complete()
  if (completed.status !== 202) throw new Error(`complete answered ${completed.status}: ${completed.text}`)
  await rig.idle()
  return opened
}

/** Checks that a FAILED transaction has its reason and the known facts about the device, and nothing else. */
export async function checkFailed(
  t: ExecutionContext,
  rig: Rig,
  { id }: Opened,
  code: string,
  at = rig.clock.now(),
): Promise<void> {
  const view = await rig.view(id)
  t.is(view.status, 'FAILED')
  t.is(view.finished_at, new Date(at).toISOString())
  const { decision, issues, metadata, ...others } = getResult(view)
  t.is(decision, 'UNDETERMINED')
  const [why, ...rest] = issues.map(issue => [issue.type, issue.code])
  t.deepEqual(why, ['WARN', code])
  // An INFO gives the reason for a missing geolocation. Without a session nobody could ask for one.
  const hadSession = view.initiated_at !== null
  t.deepEqual(
    rest.map(([type]) => type),
    hadSession && metadata.geolocation === null ? ['INFO'] : [],
  )
  t.deepEqual(Object.keys(metadata), ['device', 'network', ...(hadSession ? ['geolocation'] : [])])
  t.deepEqual(others, {} as never)
  t.deepEqual(await rig.rows('SELECT id FROM scheduled_jobs WHERE actor_id = ?', id), [])
}

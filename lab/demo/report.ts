import type { Transaction } from '../../clients/typescript/src/api.ts'
import type { Notification } from '../../clients/typescript/src/verify_webhook.ts'
import type { Integrator } from './processes.ts'

export function say(line: string): void {
  console.log(line)
}

/** The notifications of a successful verification, in order. */
const expectedStatuses = ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED']

function format(value: unknown): string {
  if (Array.isArray(value))
    return value.map(({ name, action, status, passed }) => `${name ?? action} ${status ?? passed}`).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

export function print(transaction: Transaction): void {
  const { result_data: result } = transaction
  say(`\ntransaction ${transaction.id} is ${transaction.status}: ${result?.decision ?? 'no decision'}`)
  for (const { type, code, message, details } of result?.issues ?? [])
    say(`  ${type.padEnd(6)} ${code}: ${message}${details === undefined ? '' : ` ${JSON.stringify(details)}`}`)
  // FAILED has a result without sections.
  const sections = result !== null && 'liveness' in result ? result : null
  for (const name of ['document', 'liveness', 'face_comparison'] as const) {
    const section = sections?.[name]
    if (section === undefined) continue
    say(`  ${name}: ${section.status}`)
    for (const [field, value] of Object.entries(section.data)) if (value !== null) say(`    ${field}: ${format(value)}`)
  }
}

/** Statuses that end a transaction. */
export const finalStatuses: readonly string[] = ['FINISHED', 'FAILED', 'EXPIRED']

/** The integrator's notifications. */
export interface Notified {
  readonly seen: readonly Notification[]
  /** Resolves when a transaction has ended. Rejects after `limitMs`. */
  waitForEnd(transaction_id: string, limitMs: number): Promise<void>
}

/** Collects and prints the integrator's webhooks. */
export function collectWebhooks(integrator: Integrator): Notified {
  const seen: Notification[] = []
  const waiting = new Set<() => void>()
  const hasEnded = (id: string): boolean =>
    seen.some(({ transaction_id, status }) => transaction_id === id && finalStatuses.includes(status))
  integrator.onWebhook(webhook => {
    if (!webhook.verified) return say(`webhook rejected: ${webhook.reason}`)
    const { notification } = webhook
    seen.push(notification)
    say(`webhook ${notification.sequence}: ${notification.status}, signature verified`)
    for (const look of waiting) look()
  })
  return {
    seen,
    waitForEnd: (id, limitMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no final webhook within ${limitMs / 1000} s`)), limitMs)
        const look = (): void => {
          if (!hasEnded(id)) return
          waiting.delete(look)
          clearTimeout(timer)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}

/** The expected outcome of a run. */
export interface Expectation {
  readonly decision: string
  readonly code: string | null
}

/** Whether the run did what was expected. Prints every difference. */
export function judge(transaction: Transaction, { seen }: Notified, wanted: Expectation | null): boolean {
  const faults: string[] = []
  // The same status may arrive twice.
  const own = seen.filter(({ transaction_id }) => transaction_id === transaction.id)
  const notified = [...new Set(own.map(({ status }) => status))]
  if (JSON.stringify(notified) !== JSON.stringify(expectedStatuses)) faults.push(`webhooks were ${notified.join(', ')}`)
  if (transaction.status !== 'FINISHED') faults.push(`the transaction is ${transaction.status}`)
  const decision = transaction.result_data?.decision
  if (wanted !== null && decision !== wanted.decision)
    faults.push(`the decision is ${decision}, not ${wanted.decision}`)
  const codes: readonly string[] = (transaction.result_data?.issues ?? []).map(({ code }) => code)
  if (wanted?.code != null && !codes.includes(wanted.code)) faults.push(`no issue is ${wanted.code}`)
  for (const fault of faults) say(`FAULT: ${fault}`)
  return faults.length === 0
}

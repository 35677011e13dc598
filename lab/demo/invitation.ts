import { renderUnicodeCompact } from 'uqr'
import type { OpenedTransaction } from '../../clients/typescript/src/api.ts'
import type { Backend } from './backend.ts'
import type { Integrator } from './processes.ts'
import { finalStatuses } from './report.ts'

const browserWarning = `
The certificate was made just now: your browser asks whether to go on.`

function describe({ verify_url }: OpenedTransaction): string {
  return `
Verify yourself: open this link, or scan it with a phone in the same network.

${renderUnicodeCompact(verify_url, { border: 2 })}

  ${verify_url}
${verify_url.startsWith('https:') ? browserWarning : ''}
Your pictures stay on this machine, in the demo's database, which is removed at the end.
`
}

/** The parts of the demo that invitations need. */
interface Host {
  readonly backend: Backend
  readonly integrator: Integrator
  readonly say: (line: string) => void
  /** Called with each transaction that has ended. */
  readonly onEnd: (transaction_id: string) => Promise<void>
}

/** Invites the person who runs the demo to be verified, again and again: each link is for one verification. */
export async function inviteVisitors({ backend, integrator, say, onEnd }: Host): Promise<void> {
  const open = new Set<string>()
  const invite = async (): Promise<void> => {
    const opened = await backend.openTransaction(integrator.webhook_url)
    open.add(opened.transaction_id)
    say(describe(opened))
  }
  integrator.onWebhook(webhook => {
    if (!webhook.verified) return
    const { transaction_id, status } = webhook.notification
    if (!finalStatuses.includes(status) || !open.delete(transaction_id)) return
    onEnd(transaction_id)
      .then(invite)
      .catch((error: unknown) => say(`FAULT: ${error instanceof Error ? error.message : error}`))
  })
  await invite()
}

import type { StepProgress } from '../../machines/capture.ts'
import { countTakesLeft, type TransactionContext } from '../../machines/transaction.ts'
import { isoTimestamp } from '../base/clock.ts'

function isOffered({ transaction_type, limits }: TransactionContext): boolean {
  return limits.wallet !== 'IGNORE' && transaction_type !== 'BIOMETRIC_ONLY'
}

/** The wallet among the session's steps: none where the transaction asks for none. */
export function listWalletSteps(context: TransactionContext): readonly StepProgress[] {
  const { wallet, limits } = context
  if (!isOffered(context)) return []
  return [
    {
      step: 'document_wallet',
      required: limits.wallet === 'REQUIRE' || wallet !== null,
      state: wallet === null ? 'missing' : 'captured',
      attempts_left: countTakesLeft(context, 'wallet'),
    },
  ]
}

/** The session's view of the wallet; null where the transaction asks for none. */
export function describeWallet(context: TransactionContext) {
  const { wallet, wallet_request: request, limits } = context
  if (!isOffered(context) || limits.wallet === 'IGNORE') return null
  const open = request === null ? ('missing' as const) : ('requested' as const)
  return {
    policy: limits.wallet,
    state: wallet === null ? open : ('captured' as const),
    request_id: wallet === null ? (request?.request_id ?? null) : null,
    expires_at: wallet === null && request !== null ? isoTimestamp(request.expires_at) : null,
    attempts_left: countTakesLeft(context, 'wallet'),
  }
}

import { UnreadableFileError } from '@attestor/credentials'
import { verifyWalletAnswer, type WalletTrust } from '@attestor/credentials/wallet'
import { isWalletProven } from '@attestor/rules'
import { UnreadableCaptureError } from '../verification/captures/new_capture.ts'
import type { Evidence, EvidenceCase, TransactionDeps } from '../verification/transactions/deps.ts'
import { readWalletAnswer } from './answer.ts'
import { readWalletRequest } from './request.ts'

/** The trust that a wallet's answer is verified with. */
export interface WalletVerification {
  readonly captures: TransactionDeps['captures']
  /** The certificates that were imported, and their lists of revoked ones. */
  readonly readTrust: () => Promise<Omit<WalletTrust, 'status_lists'>>
  /** Fetches a status list; null where it can't be had. */
  readonly fetchStatusList: (uri: string, now: number) => Promise<Buffer | null>
}

/** Verifies a wallet's answer, as of now. Null if there is none. @throws {UnreadableCaptureError} */
export async function readWalletEvidence(
  { captures, readTrust, fetchStatusList }: WalletVerification,
  { key, context, now }: EvidenceCase,
): Promise<Evidence | null> {
  const answer = await readWalletAnswer({ captures }, key, context)
  const request = answer === null ? null : await readWalletRequest({ captures }, key, context)
  if (answer === null || request === null) return null
  const trust: WalletTrust = { ...(await readTrust()), status_lists: new Map() }
  try {
    const first = verifyWalletAnswer(request, answer, trust, now)
    const uri = first.status?.uri ?? null
    const status_lists = new Map(uri === null ? [] : [[uri, await fetchStatusList(uri, now)] as const])
    const { findings, portrait } =
      uri === null ? first : verifyWalletAnswer(request, answer, { ...trust, status_lists }, now)
    return { input: { wallet: findings }, portrait: isWalletProven(findings) ? portrait : null }
  } catch (cause) {
    // It was readable when it came.
    if (cause instanceof UnreadableFileError) throw new UnreadableCaptureError('a wallet’s answer', { cause })
    throw cause
  }
}

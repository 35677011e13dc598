import { Refusal } from '../base/refusal.ts'
import { issueChallenge, takeFrame, takePicture, type UploadedImage } from './capture.ts'
import type { TransactionConfig } from './config.ts'
import type { TransactionRoom } from './room.ts'
import { findTransaction } from './rows.ts'
import { reopenSession, type Session } from './session.ts'
import { completeSession, startSession } from './session_calls.ts'

/** How far a transaction can be walked: what comes after is up to its script. */
export const walk_targets = ['INITIATED', 'COMPLETED'] as const

const call = {
  device: null,
  location_permission: 'not_requested',
  consent: true,
  ip_address: '192.0.2.1',
  document_type: 'PASSPORT',
} as const

/** Nobody looks at the captures of a scripted transaction. */
const placeholder = (of: string): UploadedImage => ({
  content: Buffer.from(`in place of ${of}`),
  check: async () => ({ media_type: 'image/png', warnings: [] }),
})

const capture = async (room: TransactionRoom, session: Session): Promise<void> => {
  const { transaction_id, context } = session
  const image = (of: string): UploadedImage => placeholder(`${of} of ${transaction_id}`)
  const { front, selfie } = context
  if (context.transaction_type !== 'BIOMETRIC_ONLY' && front === null)
    await takePicture(room, session, 'front', image('the document'))
  if (selfie === null) await takePicture(room, session, 'selfie', image('the selfie'))
  const { challenge_id, actions } = await issueChallenge(room, await reopenSession(room, session))
  for (const position of actions.keys())
    await takeFrame(
      room,
      await reopenSession(room, session),
      { challenge_id, position },
      image(`frame ${position} of ${challenge_id}`),
    )
}

/**
 * Takes a scripted transaction where a phone would take it, so that an integration can be tried without one.
 * @throws {Refusal} `not_allowed_in_state` for a transaction without a script or one that is beyond; `not_found`
 */
export const walkTransaction = async (
  room: TransactionRoom,
  account_id: string,
  id: string,
  to: (typeof walk_targets)[number],
): Promise<void> => {
  const row = await findTransaction(room, account_id, id)
  const { test = null } = JSON.parse(row.config) as TransactionConfig
  if (test === null) throw new Refusal('not_allowed_in_state', 'transaction: has no script')
  const session = await reopenSession(room, { transaction_id: id })
  if (session.status === 'CREATED') await startSession(room, session, call)
  if (to === 'INITIATED') return
  await capture(room, await reopenSession(room, session))
  await completeSession(room, await reopenSession(room, session))
}

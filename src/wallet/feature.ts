import {
  type DocumentPolicy,
  defaultDocumentPolicy,
  walletClaims,
  walletPolicies,
  walletPortraitPolicies,
} from '@attestor/rules'
import { z } from 'zod'
import { countTakesLeft, type TransactionContext } from '../../machines/transaction.ts'
import { isoTimestamp } from '../base/clock.ts'
import { readReadableFile, wholeNumber } from '../base/setting.ts'
import type { Feature, FeatureCase } from '../feature.ts'
import { id, sectionStatus, timestamp } from '../schemas/common.ts'
import { meaning, orNull, rule, withDefault, wordField } from '../schemas/fields.ts'
import { scenes } from './scenes.ts'

function isOffered({ transaction_type, limits }: TransactionContext): boolean {
  return limits.wallet !== 'IGNORE' && transaction_type !== 'BIOMETRIC_ONLY'
}

/** Returns the session's view of the wallet; null where the transaction asks for none. */
function describe({ context }: FeatureCase) {
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

const session = z
  .object({
    policy: z
      .enum(['OFFER', 'REQUIRE'])
      .meta(meaning('Whether a wallet may answer beside photographs, or alone.', 'OFFER')),
    state: z
      .enum(['missing', 'requested', 'captured'])
      .meta(meaning('`requested` while a request is open, `captured` once a wallet has answered it.', 'missing')),
    request_id: id.nullable().meta(meaning('The open request; null without one.', null)),
    expires_at: timestamp
      .nullable()
      .meta(meaning('Until when the open request takes an answer; null without one.', null)),
    attempts_left: z.number().int().meta(meaning('Requests that may still be made.', 10)),
  })
  .meta({ id: 'WalletProgress' })
  .nullable()
  .meta(meaning('The wallet; null where this transaction asks for none.', null)) satisfies z.ZodType<
  ReturnType<typeof describe>
>

const claim = z.enum(walletClaims)

const document = z
  .object({
    status: sectionStatus.meta(
      meaning('`PASSED`: its issuer is known and signed it, it is valid, and the wallet’s key answered.', 'PASSED'),
    ),
    format: z.enum(['MDOC', 'SD_JWT_VC']).meta(meaning('An mdoc (ISO/IEC 18013-5), or an SD-JWT VC.', 'MDOC')),
    credential_type: z
      .string()
      .meta(meaning('The doctype of an mdoc, or the `vct` of an SD-JWT VC.', 'org.iso.18013.5.1.mDL')),
    checks: z
      .array(
        z.object({
          name: z
            .string()
            .meta(meaning('What was checked: signatures, issuer, validity, revocation.', 'wallet_signature')),
          status: sectionStatus.meta(meaning('What it comes to.', 'PASSED')),
        }),
      )
      .meta(meaning('Each check of the wallet’s answer. New ones may come.')),
    disclosed: z.array(claim).meta(meaning('What the person gave of what was asked.', ['last_name'])),
    withheld: z.array(claim).meta(meaning('What was asked, and is not in the answer.', [])),
  })
  .meta({ id: 'WalletData' })
  .exactOptional()
  .meta(meaning('What a wallet’s answer proves; absent where none answered.'))

const settings = {
  WALLET_REQUEST_SECONDS: {
    default: '300',
    read: wholeNumber(30, 3600),
    description: 'Time to answer a request to [a wallet](wallet.md).',
  },
  WALLET_CERTIFICATE_FILE: {
    read: readReadableFile,
    description:
      'The certificate that [requests to wallets](wallet.md) are signed by, as PEM, with those that issued it. Without it they are unsigned, and go by the browser alone.',
  },
  WALLET_KEY_FILE: {
    goes_with: 'WALLET_CERTIFICATE_FILE',
    read: readReadableFile,
    description: 'The private key of `WALLET_CERTIFICATE_FILE`, as PEM.',
  },
  WALLET_INFO_FILE: {
    read: readReadableFile,
    description: 'What a registrar says of you, as the JSON of `verifier_info`, for signed requests to wallets.',
  },
} as const

const capture = {
  step: 'document_wallet',
  kind: 'wallet',
  media_type: 'application/vnd.attestor.wallet+json',
  drop: 'WALLET_DROPPED',
  is_asked: true,
  words: {
    shown: ['a wallet in its place'],
    step: '`document_wallet` where a wallet may answer',
    states: [],
    listed: '`document_wallet` what a wallet answered',
    read: 'of the wallet',
    content: 'a wallet’s answer',
    source: 'a wallet',
    portrait: 'of a wallet',
    files: [],
  },
} as const

const notClaims = `must be a list of 1 to ${walletClaims.length} claims`

/** A digital wallet, which answers in place of photographs. */
export const wallet = {
  capture,
  settings,
  policy: {
    wallet: withDefault(wordField(walletPolicies), defaultDocumentPolicy.wallet).meta(
      meaning(
        'Whether a digital wallet may answer in place of photographs: `IGNORE` asks for none, `OFFER` lets the person choose, `REQUIRE` takes nothing else.',
        'OFFER',
      ),
    ),
    wallet_claims: orNull(
      z
        .array(wordField(walletClaims), { error: rule(notClaims) })
        .min(1, { error: notClaims })
        .max(walletClaims.length, { error: notClaims }),
    ).meta(
      meaning('What a wallet is asked for; null: all that `document.data` has, and the portrait.', [
        'last_name',
        'first_name',
        'date_of_birth',
        'portrait',
      ]),
    ),
    wallet_without_portrait: withDefault(
      wordField(walletPortraitPolicies),
      defaultDocumentPolicy.wallet_without_portrait,
    ).meta(
      meaning(
        'What a wallet without a portrait is to the decision: `UNDETERMINED` leaves it open, `LIVENESS_ONLY` decides without a comparison of faces, and says so.',
        'LIVENESS_ONLY',
      ),
    ),
  },
  session: { wallet: session },
  document: { wallet: document },
  scenes,
  limits: ({ WALLET_REQUEST_SECONDS }: { readonly WALLET_REQUEST_SECONDS: number }) => ({
    wallet_ms: WALLET_REQUEST_SECONDS * 1000,
  }),
  // A script decides of itself.
  limitsOf: ({ document_policy, test }: FeatureCase['config']) => ({
    wallet: test === null ? document_policy.wallet : ('IGNORE' as const),
  }),
  refuseAge: ({ wallet_claims }: DocumentPolicy) =>
    wallet_claims === null
      ? null
      : ([
          'document_policy.wallet_claims',
          'must be absent: an AGE transaction asks a wallet for the age alone',
        ] as const),
  stepBefore(context: TransactionContext) {
    if (!isOffered(context)) return null
    return {
      step: capture.step,
      required: context.limits.wallet === 'REQUIRE' || context.wallet !== null,
      state: context.wallet === null ? 'missing' : 'captured',
      attempts_left: countTakesLeft(context, 'wallet'),
    }
  },
  describe: (of: FeatureCase) => ({ wallet: describe(of) }),
} as const satisfies Feature

import type { WalletClaim } from '@attestor/rules'
import { seeded } from '@attestor/vision/synthetic'
import {
  answerDigital,
  answerLink,
  createWalletIssuer,
  createWalletParty,
  type HolderOptions,
  issueMdoc,
  issueSdJwt,
  type SyntheticCredential,
} from '../../synthetic.ts'
import type { VerifiedAnswer } from '../../wallet/verify_wallet_answer.ts'
import type { WalletProtocol } from '../../wallet/wallet_answer.ts'
import type { RequestOptions } from '../../wallet/wallet_request.ts'
import {
  createWalletRequest,
  describeWalletLink,
  listDigitalRequests,
  openWalletAnswer,
  type SentAnswer,
  signRequestObject,
  verifyWalletAnswer,
  type WalletAnchor,
  type WalletRequest,
  type WalletTrust,
} from '../../wallet.ts'

export const now = Date.UTC(2026, 10, 28, 12)
export const minute = 60_000
export const origin = 'https://verify.example'
export const portrait = Buffer.concat([
  Buffer.from('ffd8ffe0', 'hex'),
  Buffer.alloc(3000, 7),
  Buffer.from('ffd9', 'hex'),
])

const draw = seeded(49)

export function random(bytes: number): Buffer {
  return Buffer.from(Array.from({ length: bytes }, () => draw.below(256)))
}

export const claims: readonly WalletClaim[] = [
  ...(['last_name', 'first_name', 'date_of_birth', 'sex', 'nationality', 'document_number'] as const),
  ...(['issue_date', 'expiry_date', 'issuing_country', 'portrait'] as const),
]

export const issuers = {
  MDL: createWalletIssuer('MDL', { country: 'SE' }),
  PID: createWalletIssuer('PID', { country: 'SE' }),
  AGE: createWalletIssuer('AGE', { country: 'SE' }),
}

export const party = createWalletParty('verify.example')

export const issued = { now: now - 86_400_000, person: { portrait } }

export const mdl = issueMdoc(issuers.MDL, issued)
export const pid = issueMdoc(issuers.PID, issued)
export const sdJwt = issueSdJwt(issuers.PID, issued)
export const age = issueMdoc(issuers.AGE, issued)

export function trust(
  anchors: readonly WalletAnchor[] = Object.values(issuers).map(({ anchor }) => anchor),
  more: Partial<WalletTrust> = {},
): WalletTrust {
  return { anchors, revocation_lists: [], status_lists: new Map(), ...more }
}

export function createRequest(options: Partial<RequestOptions> = {}): WalletRequest {
  return createWalletRequest({
    query: { credentials: ['PID', 'MDL'], claims, age_over: null },
    origin,
    response_uri: `${origin}/wallet/answers/7`,
    party,
    random,
    now,
    ...options,
  })
}

/** A wallet's answer to a request by a protocol. */
export async function answer(
  request: WalletRequest,
  credential: SyntheticCredential,
  protocol: WalletProtocol,
  options: Partial<HolderOptions> = {},
): Promise<SentAnswer> {
  const holder = { now: now + minute, ...options }
  const isSigned = !request.client_id.startsWith('redirect_uri:')
  if (protocol === 'direct_post' || protocol === 'direct_post.jwt') {
    const link = isSigned ? signRequestObject(request, party, null) : describeWalletLink(request, null)
    const { form } = await answerLink(credential, link, holder)
    return { protocol, data: form }
  }
  const asked = listDigitalRequests(request, isSigned ? party : null).find(one => one.protocol === protocol)
  if (asked === undefined) throw new Error(`${protocol} is not asked`)
  return { protocol, data: await answerDigital(credential, asked, origin, holder) }
}

/** Judges an answer two minutes after the request. */
export async function judge(
  request: WalletRequest,
  sent: SentAnswer,
  trusted: WalletTrust = trust(),
  at: number = now + 2 * minute,
): Promise<VerifiedAnswer> {
  const opened = await openWalletAnswer(request, sent, at)
  if (opened.kind === 'REFUSED') throw new Error(opened.error)
  // It is stored as JSON in between.
  const [stored, kept] = JSON.parse(JSON.stringify([request, opened])) as [WalletRequest, typeof opened]
  return verifyWalletAnswer(stored, kept, trusted, at)
}

/** Lists the checks that did not pass. */
export function listDoubts({ findings }: VerifiedAnswer): readonly string[] {
  return findings.checks
    .filter(({ status }) => status !== 'PASSED')
    .map(({ name, status, reason }) => `${name} ${status} ${reason}`)
}

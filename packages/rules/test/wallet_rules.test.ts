import test from 'ava'
import fc from 'fast-check'
import { type DocumentPolicy, defaultDocumentPolicy } from '../document_policy.ts'
import { judge } from '../judge.ts'
import type { WalletCheck, WalletCheckName, WalletFindings } from '../wallet_findings.ts'
import { isWalletProven, judgeWallet } from '../wallet_rules.ts'
import { face, input } from './findings_samples.ts'

const names: readonly WalletCheckName[] = ['answer', 'binding', 'signature', 'issuer', 'validity', 'revocation']

const passed: readonly WalletCheck[] = names.map(name => ({ name, status: 'PASSED', reason: null }))

const proven: WalletFindings = {
  format: 'MDOC',
  credential_type: 'org.iso.18013.5.1.mDL',
  document_type: 'DRIVING_LICENSE',
  checks: passed,
  claims: {
    last_name: 'Mueller',
    first_name: 'Erika Maria',
    date_of_birth: '1964-08-12',
    document_number: 'D1',
    personal_number: null,
    nationality: null,
    issuing_country: 'DE',
    sex: 'F',
    issue_date: '2024-01-01',
    expiry_date: '2039-01-01',
  },
  has_portrait: true,
  ages: [],
  disclosed: ['last_name', 'first_name', 'date_of_birth', 'portrait'],
  withheld: [],
  signer: null,
  root: null,
}

/** The engine has compared the selfie with the signed portrait, and with no printed one. */
const compared = {
  ...face,
  reference: null,
  distance: null,
  similarity: null,
  chip: { distance: 0.4, similarity: { score: 0.96, threshold: 0.81 }, same_picture: false },
}

function decide(wallet: WalletFindings, policy: Partial<DocumentPolicy> = {}, more: object = {}) {
  const findings = { ...input.findings, document: null, face: compared }
  const document_policy = { ...defaultDocumentPolicy, wallet: 'OFFER' as const, ...policy }
  const { result_data, template } = judge({ ...input, findings, wallet, document_policy, ...more })
  const { decision, issues, document, face_comparison } = result_data
  return { decision, codes: issues.map(({ code }) => code), document, face: face_comparison, template }
}

function failing(name: WalletCheckName, status: WalletCheck['status']): WalletFindings {
  return { ...proven, checks: passed.map(check => (check.name === name ? { ...check, status } : check)) }
}

test('a wallet that is proven stands for a document, and its portrait for the printed one', t => {
  const { decision, codes, document, face: section } = decide(proven)
  t.deepEqual([decision, codes], ['APPROVED', []])
  t.like(document?.data, { source: 'WALLET', last_name: 'Mueller', issuing_country: 'DE', mrz: null, engine: null })
  t.is(document?.data.wallet?.status, 'PASSED')
  t.is(section.data.reference, 'DOCUMENT_WALLET')
})

test('a wallet of which any check fails is never approved, and one that is false rejects', t => {
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.constantFrom('UNDETERMINED' as const, 'FAILED' as const),
      (name, status) => {
        const { decision, document } = decide(failing(name, status))
        const isFalse = status === 'FAILED' && name !== 'answer'
        return decision === (isFalse ? 'REJECTED' : 'UNDETERMINED') && document?.status !== 'PASSED'
      },
    ),
  )
  for (const [name, status, code] of [
    ['signature', 'FAILED', 'WALLET_SIGNATURE_INVALID'],
    ['binding', 'FAILED', 'WALLET_BINDING_INVALID'],
    ['revocation', 'FAILED', 'WALLET_REVOKED'],
    ['validity', 'FAILED', 'WALLET_OUT_OF_TIME'],
    ['issuer', 'UNDETERMINED', 'WALLET_ISSUER_UNKNOWN'],
    ['revocation', 'UNDETERMINED', 'WALLET_NOT_EVALUABLE'],
  ] as const)
    t.true(decide(failing(name, status)).codes.includes(code), code)
})

test('liveness alone decides without a portrait only where the policy says so, and an issue says it', t => {
  const faceless = { ...proven, has_portrait: false }
  t.like(decide(faceless), { decision: 'UNDETERMINED', codes: ['WALLET_WITHOUT_PORTRAIT'] })
  const alone = decide(faceless, { wallet_without_portrait: 'LIVENESS_ONLY' })
  t.like(alone, { decision: 'APPROVED', codes: ['WALLET_WITHOUT_PORTRAIT'], template: null })
  t.is(alone.face.status, 'NOT_EXECUTED')
})

test('a wallet’s claims are compared with the policy, the day and the expected data', t => {
  t.like(decide(proven, { refused_sources: ['WALLET'] }), { decision: 'REJECTED', codes: ['UNSUPPORTED_DOCUMENT'] })
  const expired = { ...proven, claims: { ...proven.claims, expiry_date: '2020-01-01' } }
  t.like(decide(expired), { decision: 'REJECTED', codes: ['EXPIRED_DOCUMENT'] })
  const another = { expected_data: { last_name: 'Schmidt', first_name: 'Erika Maria' } }
  t.like(decide(proven, {}, another), { decision: 'REJECTED', codes: ['SURNAME_MISMATCH'] })
  const withheld = {
    ...proven,
    claims: { ...proven.claims, date_of_birth: null },
    withheld: ['date_of_birth'] as const,
  }
  t.like(decide(withheld), { decision: 'UNDETERMINED', codes: ['DOCUMENT_INCOMPLETE'] })
  const days = { today: input.today, earliest: input.today }
  for (const claim of ['last_name', 'first_name', 'date_of_birth', 'expiry_date', 'sex'] as const) {
    const { results } = judgeWallet({ ...proven, withheld: [claim] }, {}, days, defaultDocumentPolicy)
    const found = results.find(({ check }) => check.name === 'wallet_disclosure')
    t.is(found?.check.status, claim === 'sex' ? 'PASSED' : 'UNDETERMINED', claim)
  }
  t.false(isWalletProven({ ...proven, checks: [] }))
})

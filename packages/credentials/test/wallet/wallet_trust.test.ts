import test from 'ava'
import { readCertificate, type StateCertificate } from '../../chip/certificates.ts'
import { readRevocationList } from '../../chip/revocation_list.ts'
import { createRoot } from '../../synthetic/state.ts'
import { walletAlgorithm } from '../../synthetic/wallet_issuer.ts'
import { issueIdentifierList } from '../../synthetic/wallet_lists.ts'
import {
  createWalletIssuer,
  issueLink,
  issueMdoc,
  issueRevocationList,
  issueSdJwt,
  issueSigner,
  issueStatusToken,
  issueTrustedEntities,
  issueVical,
} from '../../synthetic.ts'
import { findWalletChain } from '../../wallet/wallet_trust.ts'
import { readStatusExpiry, readWalletTrustFile, type WalletAnchor, type WalletPurpose } from '../../wallet.ts'
import { answer, createRequest, issued, issuers, judge, listDoubts, minute, now, trust } from './invented_wallet.ts'

const day = 86_400_000
const listRoot = createRoot('UT', walletAlgorithm, { name: 'List Root UT' })
const listSigner = issueSigner(listRoot, walletAlgorithm, { purpose: '1.0.18013.5.1.8', serial: 40 })
const listAnchors: readonly WalletAnchor[] = [
  { certificate: readCertificate(listRoot.certificate), may_sign: ['LIST'] },
]

function read(bytes: Buffer, { anchors = listAnchors, at = now, may_sign = [] as readonly WalletPurpose[] } = {}) {
  return readWalletTrustFile(bytes, { may_sign, anchors, now: at })
}

function pem(der: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
}

function purposesOf(anchors: readonly WalletAnchor[]): Record<string, readonly WalletPurpose[]> {
  return Object.fromEntries(anchors.map(({ certificate, may_sign }) => [certificate.subject, may_sign]))
}

test('PEM and DER are for what the operator says', t => {
  const both = pem(issuers.MDL.root.certificate) + pem(issuers.PID.root.certificate)
  for (const [bytes, count] of [
    [Buffer.from(both), 2],
    [issuers.MDL.root.certificate, 1],
  ] as const) {
    const { kind, anchors, unreadable, signature } = read(bytes, { may_sign: ['MDL', 'STATUS'] })
    t.deepEqual([kind, anchors.length, unreadable, signature], ['CERTIFICATES', count, 0, null])
    for (const { may_sign } of anchors) t.deepEqual(may_sign, ['MDL', 'STATUS'])
  }
  t.is(read(Buffer.from('nothing'), { may_sign: ['MDL'] }).anchors.length, 0)
})

const listed = [
  { certificate: issuers.MDL.root.certificate, types: ['org.iso.18013.5.1.mDL'] },
  { certificate: issuers.PID.root.certificate, types: ['eu.europa.ec.eudi.pid.1', 'eu.europa.ec.av.1'] },
  { certificate: Buffer.from('3000', 'hex'), types: ['org.iso.18013.5.1.mDL'] },
  { certificate: issuers.AGE.root.certificate, types: ['org.iso.7367.1.mVRC'] },
]

test('a VICAL says what each root may vouch for, and who signed it', t => {
  const bytes = issueVical(listSigner, listed, { now })
  const list = read(bytes)
  t.deepEqual([list.kind, list.signature, list.unreadable], ['VICAL', 'PASSED', 1])
  t.deepEqual(purposesOf(list.anchors), { 'C=SE, CN=MDL Root SE': ['MDL'], 'C=SE, CN=PID Root SE': ['PID', 'AGE'] })
  t.is(read(bytes, { anchors: [] }).signature, 'SIGNER_UNKNOWN')
  const wrong = [{ ...listAnchors[0], may_sign: ['MDL'] }] as readonly WalletAnchor[]
  t.is(read(bytes, { anchors: wrong }).signature, 'SIGNER_UNKNOWN')
  t.is(read(bytes, { at: now + 31 * day }).signature, 'OUT_OF_TIME')
  const changed = Buffer.from(bytes)
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  t.is(read(changed).signature, 'NOT_SIGNED')
})

test('a list of trusted entities says what each service may vouch for, and who signed it', t => {
  const service = 'http://uri.etsi.org/19602/SvcType'
  const bytes = issueTrustedEntities(
    listSigner,
    [
      { certificate: issuers.PID.root.certificate, type: `${service}/PID/Issuance` },
      { certificate: issuers.PID.root.certificate, type: `${service}/PID/Revocation` },
      { certificate: issuers.MDL.root.certificate, type: `${service}/mDL/Issuance`, status: `${service}/withdrawn` },
      { certificate: issuers.AGE.root.certificate, type: `${service}/WalletSolution/Issuance` },
    ],
    { next_at: now + day },
  )
  const list = read(bytes)
  t.deepEqual([list.kind, list.signature, list.unreadable], ['TRUSTED_ENTITIES', 'PASSED', 0])
  t.deepEqual(purposesOf(list.anchors), { 'C=SE, CN=PID Root SE': ['PID', 'STATUS'] })
  t.is(read(bytes, { at: now + 2 * day }).signature, 'OUT_OF_TIME')
  t.is(read(bytes, { anchors: [] }).signature, 'SIGNER_UNKNOWN')
})

const uri = 'https://issuer.example/statuses/1'

test('a status list says that a credential is valid, revoked or suspended', async t => {
  const request = createRequest()
  for (const [issuer, issue] of [
    [issuers.MDL, issueMdoc],
    [issuers.PID, issueSdJwt],
  ] as const)
    for (const format of ['JWT', 'CWT'] as const) {
      const statuses = { 5: 1, 6: 2, 7: 3 }
      const token = issueStatusToken(issuer.signer, { uri, statuses, now }, format)
      const trusted = trust(undefined, { status_lists: new Map([[uri, token]]) })
      for (const [index, doubts] of [
        [4, []],
        [5, ['revocation FAILED REVOKED']],
        [6, ['revocation FAILED SUSPENDED']],
        [7, ['revocation UNDETERMINED STATUS_UNAVAILABLE']],
        [5000, ['revocation UNDETERMINED STATUS_UNAVAILABLE']],
      ] as const) {
        const credential = issue(issuer, { ...issued, status: { uri, index } })
        const verified = await judge(request, await answer(request, credential, 'openid4vp-v1-unsigned'), trusted)
        t.deepEqual(listDoubts(verified), doubts, `${format} ${index}`)
        t.deepEqual(verified.status, { uri, index })
      }
    }
})

test('a list of identifiers says which mdocs were revoked', async t => {
  const request = createRequest()
  const listed = Buffer.from('0123456789abcdef').toString('base64url')
  const list = issueIdentifierList(issuers.MDL.signer, uri, ['YW5vdGhlcg', listed], now)
  const trusted = trust(undefined, { status_lists: new Map([[uri, list]]) })
  for (const [identifier, doubts] of [
    [listed, ['revocation FAILED REVOKED']],
    ['ZnJlZQ', []],
  ] as const) {
    const credential = issueMdoc(issuers.MDL, { ...issued, status: { uri, identifier } })
    const sent = await answer(request, credential, 'openid4vp-v1-unsigned')
    t.deepEqual(listDoubts(await judge(request, sent, trusted)), doubts)
    // A list of the other kind has no effect.
    const other = issueStatusToken(issuers.MDL.signer, { uri, statuses: {}, now }, 'CWT')
    const wrong = trust(undefined, { status_lists: new Map([[uri, other]]) })
    t.deepEqual(listDoubts(await judge(request, sent, wrong)), ['revocation UNDETERMINED STATUS_UNAVAILABLE'])
  }
})

test('a status list that is missing, of another address, another issuer or another day says nothing', async t => {
  const request = createRequest()
  const credential = issueMdoc(issuers.MDL, { ...issued, status: { uri, index: 4 } })
  const sent = await answer(request, credential, 'openid4vp-v1-unsigned')
  const other = createWalletIssuer('MDL', { country: 'NO' })
  const good = { uri, statuses: {}, now }
  const tokens = {
    missing: null,
    'of another address': issueStatusToken(issuers.MDL.signer, { ...good, uri: `${uri}0` }),
    'of another issuer': issueStatusToken(other.signer, good),
    'of last week': issueStatusToken(issuers.MDL.signer, { ...good, now: now - 7 * day }),
    'no token': Buffer.from('eyJ'),
    empty: Buffer.alloc(0),
  }
  const anchors = [issuers.MDL.anchor, other.anchor]
  for (const [name, token] of Object.entries(tokens)) {
    const trusted = trust(anchors, { status_lists: new Map([[uri, token]]) })
    t.deepEqual(listDoubts(await judge(request, sent, trusted)), ['revocation UNDETERMINED STATUS_UNAVAILABLE'], name)
  }
  t.deepEqual(listDoubts(await judge(request, sent, trust(anchors))), ['revocation UNDETERMINED STATUS_UNAVAILABLE'])
  // A signer of statuses may say it of everybody's.
  const status = [{ ...other.anchor, may_sign: ['STATUS'] as const }, issuers.MDL.anchor]
  const token = issueStatusToken(other.signer, good)
  t.deepEqual(listDoubts(await judge(request, sent, trust(status, { status_lists: new Map([[uri, token]]) }))), [])
})

test('a status list is kept until it ends, or for as long as it says', t => {
  const token = issueStatusToken(issuers.MDL.signer, { uri, statuses: {}, now, ttl_s: 600 })
  t.is(readStatusExpiry(token, uri, now), now + 10 * minute)
  t.is(readStatusExpiry(token, uri, now + day - minute), now + day)
  t.is(readStatusExpiry(token, `${uri}2`, now), null)
  t.is(readStatusExpiry(token, uri, now + 2 * day), null)
})

test('a signer is refused whose certificate is revoked, over, or for something else', async t => {
  const request = createRequest()
  const cases = {
    'issuer FAILED EXPIRED': createWalletIssuer('MDL', { country: 'SE', not_after: now - minute }),
    'issuer FAILED NOT_YET_VALID': createWalletIssuer('MDL', { country: 'SE', not_before: now + day }),
    'issuer FAILED SIGNER_NOT_ALLOWED': createWalletIssuer('MDL', { country: 'SE', purpose: '1.0.18013.5.1.6' }),
    // ISO/IEC 18013-5, 9.3.3: the licence is of another country than its signer.
    'issuer FAILED SIGNER_NOT_ALLOWED ': createWalletIssuer('MDL', { country: 'NO' }),
  }
  for (const [doubt, issuer] of Object.entries(cases)) {
    const credential = issueMdoc(issuer, issued)
    const sent = await answer(request, credential, 'openid4vp-v1-unsigned')
    t.deepEqual(listDoubts(await judge(request, sent, trust([issuer.anchor]))), [doubt.trim()])
  }
  const list = readRevocationList(issueRevocationList(issuers.MDL.root, [issuers.MDL.signer.serial], now - day))
  const sent = await answer(request, issueMdoc(issuers.MDL, issued), 'openid4vp-v1-unsigned')
  const revoked = trust([issuers.MDL.anchor], { revocation_lists: [list] })
  t.deepEqual(listDoubts(await judge(request, sent, revoked)), ['revocation FAILED CERTIFICATE_REVOKED'])
})

test('an authority stands above no more others than its certificate lets it', t => {
  const [old, next] = ['Old', 'Next'].map(name => createRoot('SE', walletAlgorithm, { name }))
  if (old === undefined || next === undefined) throw new Error('there are no roots')
  const signer = readCertificate(issueSigner(next, walletAlgorithm, { purpose: '1.0.18013.5.1.2' }).certificate)
  const between = readCertificate(issueLink(old, next).certificate)
  const purposes = { anchored: ['MDL'], profile: 'MDL' } as const
  const find = (certificates: readonly StateCertificate[], anchor: StateCertificate) =>
    findWalletChain(certificates, purposes, trust([{ certificate: anchor, may_sign: ['MDL'] }]), {
      now,
      signed_at: now,
    })
  t.is(find([signer, between], between).status, 'PASSED')
  t.is(find([signer], between).status, 'PASSED')
  // Its path length is 0.
  t.is(find([signer, between], readCertificate(old.certificate)).status, 'NOT_ALLOWED')
  t.is(find([signer], readCertificate(old.certificate)).status, 'UNKNOWN')
  t.is(find([between], readCertificate(old.certificate)).status, 'NOT_ALLOWED')
})

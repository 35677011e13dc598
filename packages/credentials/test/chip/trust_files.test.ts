import test from 'ava'
import { checkMasterList, classifyCertificate, readMasterList, readTrustFile } from '../../chip/trust_files.ts'
import {
  type Authority,
  createRoot,
  issueLink,
  issueMasterList,
  issueRevocationList,
  issueSigner,
  usualAlgorithm,
} from '../../synthetic/state.ts'
import { now, signedAt, trust } from './invented_chip.ts'

const listSigner = '2.23.136.1.1.3'
const root = createRoot('UT', usualAlgorithm)
const neighbour = createRoot('DE', usualAlgorithm)
const next = createRoot('UT', usualAlgorithm, { name: 'CSCA UT 2' })
const link = issueLink(root, next)
const signer = issueSigner(root, usualAlgorithm)
const revocations = issueRevocationList(root, [9], now)

function pem(label: string, der: Buffer): string {
  return `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`
}

/** RFC 2849: a line of at most 76 characters, which goes on after a space. */
function fold(line: string): string {
  return line.replace(/(.{75})(?=.)/g, '$1\n ')
}

test('a file of blocks that nothing closes is read in one go', t => {
  const { unreadable, certificates } = readTrustFile(Buffer.from('-----BEGIN CERTIFICATE-----\n'.repeat(100_000)))
  t.deepEqual([unreadable, certificates], [100_000, []])
  const closed = pem('CERTIFICATE', root.certificate)
  const mixed = readTrustFile(Buffer.from(`-----BEGIN CERTIFICATE-----\nMII\n${closed}-----BEGIN X-----`))
  t.deepEqual([mixed.certificates.length, mixed.unreadable], [1, 2])
})

function listOf(by: Authority, certificates: readonly Authority[], signed_at = signedAt): Buffer {
  return issueMasterList(
    { root, signer: by, signed_at },
    certificates.map(({ certificate }) => certificate),
  )
}

test('certificates and revocation lists are read from DER, PEM and LDIF', t => {
  const text = `${pem('CERTIFICATE', root.certificate)}${pem('X509 CRL', revocations)}${pem('CERTIFICATE', signer.certificate)}`
  const ldif = [
    'version: 1',
    'dn: cn=one',
    fold(`userCertificate;binary:: ${signer.certificate.toString('base64')}`),
    '',
    fold(`certificateRevocationList;binary:: ${revocations.toString('base64')}`),
  ].join('\n')
  const subjects = (bytes: Buffer): string[] => readTrustFile(bytes).certificates.map(({ subject }) => subject)
  t.deepEqual(subjects(root.certificate), ['C=UT, CN=CSCA UT'])
  t.deepEqual(subjects(Buffer.from(text)), ['C=UT, CN=CSCA UT', 'C=UT, CN=Signer 7 UT'])
  t.deepEqual(subjects(Buffer.from(ldif)), ['C=UT, CN=Signer 7 UT'])
  for (const bytes of [revocations, Buffer.from(text), Buffer.from(ldif)]) {
    const [list] = readTrustFile(bytes).revocation_lists
    t.is(list?.country, 'UT')
    t.deepEqual([...(list?.serials ?? [])], ['09'])
  }
  t.is(readTrustFile(Buffer.from('neither of them')).certificates.length, 0)
  t.is(readTrustFile(Buffer.from('3003020101', 'hex')).unreadable, 1)
})

test("a certificate's purpose follows from its contents, and a root is known by its own signature", t => {
  const kinds = [root, link, signer, issueSigner(root, usualAlgorithm, { purpose: listSigner })].map(
    ({ certificate }) => readTrustFile(certificate).certificates.map(classifyCertificate)[0],
  )
  t.deepEqual(kinds, ['ROOT', 'LINK', 'SIGNER', null])
  const forged = Buffer.from(root.certificate)
  forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1
  t.deepEqual(readTrustFile(forged).certificates.map(classifyCertificate), [null])
})

test('a master list is believed if a signer of lists signed it under a root that is trusted', t => {
  const lists = issueSigner(root, usualAlgorithm, { purpose: listSigner })
  const check = (bytes: Buffer, authorities: readonly Authority[]): string => {
    const [list] = readTrustFile(bytes).master_lists
    return list === undefined ? 'UNREADABLE' : checkMasterList(list, trust(authorities), now)
  }
  const list = listOf(lists, [root, neighbour, link])
  t.is(check(list, [root]), 'PASSED')
  t.is(check(list, [neighbour]), 'SIGNER_UNKNOWN')
  t.is(check(listOf(signer, [root]), [root]), 'NOT_SIGNED')
  t.is(check(listOf(lists, [root], Date.UTC(2036, 0, 1)), [root]), 'OUT_OF_TIME')
  const changed = Buffer.from(list)
  changed[list.indexOf(neighbour.certificate) + 60] = 0
  t.is(check(changed, [root]), 'NOT_SIGNED')
  const [read] = readTrustFile(list).master_lists
  if (read === undefined) return t.fail()
  const { certificates, unreadable } = readMasterList(read)
  t.deepEqual(certificates.map(classifyCertificate).sort(), ['LINK', 'ROOT', 'ROOT'])
  t.is(unreadable, 0)
})

import { createHash, generateKeyPairSync, privateEncrypt, randomBytes, constants as rsa, sign } from 'node:crypto'
import test from 'ava'
import { isChallengeAnswered } from '../../chip/active_authentication.ts'
import { readCertificate } from '../../chip/certificates.ts'
import { readRevocationList as readList } from '../../chip/revocation_list.ts'
import { classifyCertificate, classifyListed } from '../../chip/trust_files.ts'
import { verifyChip } from '../../chip/verify_chip.ts'
import { personalise, specimenPassport } from '../../synthetic/chip.ts'
import { integer, nothing, oid, sequence, tlv } from '../../synthetic/der_writer.ts'
import { signatureAlgorithm } from '../../synthetic/keys.ts'
import {
  type CertificateOptions,
  createRoot,
  createSignerInfo,
  createState,
  issueLink,
  issueRevocationList,
  issueSigner,
  type SigningOptions,
  usualAlgorithm,
} from '../../synthetic/state.ts'
import { listDoubts, makeFiles, now, signedAt, trust, usual } from './invented_chip.ts'

/*
 * Both sides of what is tolerated (docs/understand/chip-standards.md): what states write otherwise is read, what cannot be
 * judged is open, and what is false stays false.
 */

const state = createState()
const { root, signer } = state
const rsaState = createState({ type: 'rsa', digest: 'sha256', bits: 1536 })
const pssState = createState({ type: 'pss', digest: 'sha256', bits: 1536 })

function read(options: Partial<SigningOptions>, of = state, trusted = trust([of.root])): string[] {
  return listDoubts(verifyChip(makeFiles(of, specimenPassport, { ...usual, ...options }), trusted, now))
}

const open = ['signature UNDETERMINED ALGORITHM_NOT_ACCEPTED']
const unknown = ['signature UNDETERMINED SIGNER_UNKNOWN']
const forged = ['signature FAILED NOT_SIGNED']

test('RFC 5652, 5.4: attributes in any order, signed as DER or as they are stored', t => {
  t.deepEqual(read({ reverses_attributes: true }), [])
  t.deepEqual(read({ reverses_attributes: true, signs_stored: true }), [])
  t.deepEqual(read({ reverses_attributes: true, changes_signature: flipLast }), forged)
})

function flipLast(signature: Buffer): Buffer {
  const changed = Buffer.from(signature)
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  return changed
}

test('RFC 5652, 5.3: a signer is named by its key, with zeros before its number, or wrongly; its key decides', t => {
  for (const identity of ['KEY_ID', 'PADDED_SERIAL', 'OTHER_ISSUER', 'OTHER_SERIAL'] as const) {
    t.deepEqual(read({ identity }), [], identity)
    const expected = identity === 'OTHER_SERIAL' ? unknown : forged
    t.deepEqual(read({ identity, changes_signature: flipLast }), expected, identity)
  }
  const signers = [readCertificate(signer.certificate)]
  const imported = (identity: SigningOptions['identity'] & string): string[] =>
    read({ identity, with_certificate: false }, state, trust([root], { signers }))
  t.deepEqual(imported('KEY_ID'), [])
  t.deepEqual(imported('PADDED_SERIAL'), [])
  t.deepEqual(imported('OTHER_SERIAL'), unknown)
})

test('RFC 5652, 5.1: several signers, of whom one is enough; a revoked one counts where no other is proven', t => {
  const other = issueSigner(root, usualAlgorithm, { serial: 8 })
  const strange = createState(usualAlgorithm)
  const sign = (by: typeof signer, from: typeof root, options: Partial<SigningOptions> = {}) => {
    const base = personalise(state, specimenPassport, usual)
    const content = contentOf(base.files.sod)
    const info = createSignerInfo(by, from, { type: '2.23.136.1.1.1', content }, { ...usual, ...options })
    return { other_signers: [info], certificates: [by.certificate] }
  }
  t.deepEqual(read(sign(other, root)), [])
  t.deepEqual(read(sign(strange.signer, strange.root)), [])
  t.deepEqual(read(sign(other, root, { changes_signature: flipLast })), [])
  t.deepEqual(read({ ...sign(other, root, { changes_signature: flipLast }), changes_signature: flipLast }), forged)
  const revocation = (serials: number[]) => {
    const list = readList(issueRevocationList(root, serials, now - 1e9))
    return trust([root], { revocation_lists: [list] })
  }
  t.deepEqual(read(sign(other, root), state, revocation([8])), [])
  t.deepEqual(read(sign(other, root), state, revocation([7, 8])), ['revocation FAILED REVOKED'])
  t.deepEqual(read(sign(strange.signer, strange.root), state, revocation([7])), ['revocation FAILED REVOKED'])
})

test('RFC 5652, 5.3 and 11: attributes may be absent; without a digest, or of another type, nothing is judged', t => {
  t.deepEqual(read({ without: 'ALL_ATTRIBUTES' }), [])
  t.deepEqual(read({ without: 'ALL_ATTRIBUTES', changes_signature: flipLast }), forged)
  t.deepEqual(read({ without: 'CONTENT_TYPE' }), [])
  t.deepEqual(read({ without: 'MESSAGE_DIGEST' }), open)
  t.deepEqual(read({ attribute_type: '2.23.136.1.1.2' }), open)
})

test('RFC 5652, 5.3: the digest that is named may be another than the one used, or have no parameters', t => {
  t.deepEqual(read({ named_digest: 'sha1' }), [])
  t.deepEqual(read({ without_null: true }), [])
  const keyNamed = { names_key_algorithm: true, without_null: true }
  t.deepEqual(read(keyNamed, rsaState), [])
  t.deepEqual(read({ ...keyNamed, changes_signature: flipLast }, rsaState), forged)
  t.deepEqual(read({ signature_algorithm: sequence(oid('1.2.840.113549.1.1.5'), nothing) }, rsaState), [])
  t.deepEqual(read({ signature_algorithm: sequence(oid('1.2.3.4')) }), open)
})

test('ITU-T X.690: EF.SOD in BER, with indefinite lengths and the content in pieces', t => {
  t.deepEqual(read({ indefinite: true }), [])
  t.deepEqual(read({ indefinite: true, changes_signature: flipLast }), forged)
})

test('ICAO 9303-10, 4.6: EF.SOD without its outer tag; the digests of files by another algorithm than is named', t => {
  const files = makeFiles(state)
  const bare = { ...files, sod: unwrap(files.sod) }
  t.deepEqual(listDoubts(verifyChip(bare, trust([root]), now)), [])
  const content = { digest: 'sha256', signed_at: signedAt, named_file_digest: 'sha384' } as const
  t.deepEqual(listDoubts(verifyChip(makeFiles(state, specimenPassport, content), trust([root]), now)), [])
  const changed = {
    ...bare,
    data_groups: {
      ...bare.data_groups,
      dg1: Buffer.concat([files.data_groups.dg1 ?? Buffer.alloc(0), Buffer.from([0])]),
    },
  }
  t.deepEqual(listDoubts(verifyChip(changed, trust([root]), now)), ['data_groups FAILED DIGEST_DIFFERS'])
})

test('RFC 4055, 3: PSS with parameters, with NULL, or without; a signature that then fits nothing is open', t => {
  const pss = '1.2.840.113549.1.1.10'
  for (const parameters of [[], [nothing]]) {
    const signature_algorithm = sequence(oid(pss), ...parameters)
    t.deepEqual(read({ signature_algorithm }, pssState), [])
    t.deepEqual(read({ signature_algorithm, changes_signature: flipLast }, pssState), open)
  }
  t.deepEqual(read({}, pssState), [])
  t.deepEqual(read({ changes_signature: flipLast }, pssState), forged)
  // All members of the parameters have defaults: SHA-1, its mask, 20.
  const old = createState({ type: 'pss', digest: 'sha1', bits: 1536 })
  t.deepEqual(read({ digest: 'sha1', signature_algorithm: sequence(oid(pss), sequence()) }, old), [])
  t.deepEqual(read({ signature_algorithm: sequence(oid(pss), sequence(tlv(0xa2, integer(600)))) }, pssState), open)
})

test('RFC 8017, A.2.4 and 8.2.2: a digest without NULL inside the signature, a signature without its leading zeros', t => {
  const key = rsaState.signer.keys.private_key
  const rewrite = (isRight: boolean) => (options: Partial<SigningOptions>) =>
    read({ ...options, without: 'ALL_ATTRIBUTES', changes_signature: () => encrypt(isRight) }, rsaState)
  function encrypt(isRight: boolean): Buffer {
    const content = contentOf(personalise(rsaState, specimenPassport, usual).files.sod)
    const digest = createHash('sha256').update(content).digest()
    if (!isRight) digest[0] = (digest[0] ?? 0) ^ 1
    const info = sequence(sequence(oid('2.16.840.1.101.3.4.2.1')), tlv(0x04, digest))
    return privateEncrypt({ key, padding: rsa.RSA_PKCS1_PADDING }, info)
  }
  t.deepEqual(rewrite(true)({}), [])
  t.deepEqual(rewrite(false)({}), forged)
})

test('RFC 3279, 2.2.3 and BSI TR-03111: both numbers of ECDSA in DER, with zeros too many, or one after the other', t => {
  const numbers = (signature: Buffer): Buffer[] => {
    const first = signature.subarray(4, 4 + (signature[3] ?? 0))
    return [first, signature.subarray(6 + first.length)]
  }
  const plain = (signature: Buffer): Buffer =>
    Buffer.concat(numbers(signature).map(number => Buffer.concat([Buffer.alloc(32), number]).subarray(-32)))
  const long = (signature: Buffer): Buffer =>
    sequence(...numbers(signature).map(number => tlv(0x02, Buffer.from([0, 0]), number)))
  for (const changes_signature of [plain, long]) {
    t.deepEqual(read({ changes_signature }), [])
    t.deepEqual(read({ changes_signature: signature => changes_signature(flipLast(signature)) }), forged)
  }
  t.deepEqual(read({ changes_signature: plain, signature_algorithm: sequence(oid('0.4.0.127.0.7.1.1.4.1.3')) }), [])
})

test('ICAO 9303-12, 7.1 and RFC 5280, 4.2.1: key identifiers missing or of no key, country in small letters or three', t => {
  const rows: readonly CertificateOptions[] = [
    { key_ids: 'NONE' },
    { key_ids: 'WRONG' },
    { country_written: 'ut' },
    { version: 1 },
  ]
  for (const written of rows) {
    const own = createRoot('UT', usualAlgorithm, { written })
    const state = { root: own, signer: issueSigner(own, usualAlgorithm, { written }) }
    t.deepEqual(read({}, state), [], JSON.stringify(written))
    const other = trust([createRoot('UT', usualAlgorithm, { written })])
    t.deepEqual(read({}, state, other), ['issuer UNDETERMINED NO_TRUST_ANCHOR'], JSON.stringify(written))
  }
  t.is(
    readCertificate(createRoot('FR', usualAlgorithm, { written: { country_written: 'fra' } }).certificate).country,
    'FR',
  )
})

test('RFC 5280, 4.1.2.1 and 6.1.4 (k): a certificate of version 1 is a root by its own signature, an authority in a list', t => {
  const kinds = (written: CertificateOptions) => {
    const one = createRoot('UT', usualAlgorithm, { written })
    const next = createRoot('UT', usualAlgorithm, { name: 'Next', written })
    return [one, issueLink(one, next, written), issueSigner(one, usualAlgorithm, { written })].map(
      ({ certificate }) => [
        classifyCertificate(readCertificate(certificate)),
        classifyListed(readCertificate(certificate)),
      ],
    )
  }
  t.deepEqual(kinds({ version: 1 }), [
    ['ROOT', 'ROOT'],
    ['SIGNER', 'LINK'],
    ['SIGNER', 'LINK'],
  ])
  t.deepEqual(kinds({ constraints: false }), [
    ['ROOT', 'ROOT'],
    ['LINK', 'LINK'],
    ['SIGNER', 'SIGNER'],
  ])
  t.deepEqual(kinds({ key_ids: 'NONE' }), [
    ['ROOT', 'ROOT'],
    ['LINK', 'LINK'],
    ['SIGNER', 'SIGNER'],
  ])
})

test('ICAO 9303-12, 7.1: purposes of lists sign no chip, and unknown ones do not forbid it', t => {
  const by = (purpose: string): string[] => read({}, { root, signer: issueSigner(root, usualAlgorithm, { purpose }) })
  t.deepEqual(by('2.23.136.1.1.3'), ['issuer FAILED NOT_SIGNED'])
  t.deepEqual(by('2.23.136.1.1.8'), ['issuer FAILED NOT_SIGNED'])
  t.deepEqual(by('2.23.136.1.1.1'), [])
  t.deepEqual(by('1.2.3.4'), [])
})

test('RFC 5652, 11.3: a time of signing that nobody can read counts as none', t => {
  t.deepEqual(read({ signed_at: null }), [])
  t.deepEqual(read({ signed_at: signedAt }), [])
  t.deepEqual(read({ written_time: tlv(0x17, Buffer.from('yesterday')) }), [])
  t.deepEqual(read({ written_time: tlv(0x18, Buffer.from('20240601000000Z')) }), [])
  t.deepEqual(read({ written_time: tlv(0x18, Buffer.from('20440601000000Z')) }), ['issuer UNDETERMINED OUT_OF_TIME'])
})

test('unreadable bytes beside EF.SOD are no certificate', t => {
  const rubbish = sequence(integer(1), integer(2))
  t.deepEqual(read({ certificates: [rubbish] }), [])
  t.deepEqual(read({ certificates: [rubbish], with_certificate: false }), unknown)
})

test('SEC 1: a curve by name or by all of its parameters; an algorithm that nobody lists is open', t => {
  const explicit = createState({ type: 'ecdsa', digest: 'sha256', curve: 'brainpoolP256r1', explicit: true })
  t.deepEqual(read({}, explicit), [])
  t.deepEqual(read({ changes_signature: flipLast }, explicit), forged)
  t.deepEqual(read({ signature_algorithm: signatureAlgorithm({ type: 'rsa', digest: 'sha256' }) }, explicit), [])
})

/** Returns the bytes that EF.SOD signs: the first octet string of its content. */
function contentOf(sod: Buffer): Buffer {
  const type = oid('2.23.136.1.1.1')
  const from = sod.indexOf(type) + type.length
  return unwrap(unwrap(sod.subarray(from)))
}

/** The content of the first object. */
function unwrap(bytes: Buffer): Buffer {
  const length = bytes[1] ?? 0
  const count = length < 0x80 ? 0 : length - 0x80
  const size = count === 0 ? length : bytes.readUIntBE(2, count)
  return bytes.subarray(2 + count, 2 + count + size)
}

test('ICAO 9303-11, 6.1: answers of a chip by RSA with each trailer, and by ECDSA in either form, and no others', t => {
  const challenge = randomBytes(8)
  const pair = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const rsaKey = pair.publicKey.export({ type: 'spki', format: 'der' })
  const answer = (digest: string, trailer: string, header = '6a'): Buffer => {
    const end = Buffer.from(trailer, 'hex')
    const nonce = randomBytes(128 - 1 - end.length - createHash(digest).digest().length)
    const signed = createHash(digest).update(nonce).update(challenge).digest()
    const message = Buffer.concat([Buffer.from(header, 'hex'), nonce, signed, end])
    return privateEncrypt({ key: pair.privateKey, padding: rsa.RSA_NO_PADDING }, message)
  }
  for (const [digest, trailer] of [
    ['sha1', 'bc'],
    ['sha1', '33cc'],
    ['sha224', '38cc'],
    ['sha256', '34cc'],
    ['sha384', '36cc'],
    ['sha512', '35cc'],
  ] as const) {
    t.true(isChallengeAnswered(rsaKey, challenge, answer(digest, trailer)), trailer)
    t.false(isChallengeAnswered(rsaKey, randomBytes(8), answer(digest, trailer)), `${trailer}, another challenge`)
  }
  t.false(isChallengeAnswered(rsaKey, challenge, answer('sha256', '36cc')), 'another digest than the trailer names')
  t.false(isChallengeAnswered(rsaKey, challenge, answer('sha256', '99cc')), 'an unknown trailer')
  t.false(isChallengeAnswered(rsaKey, challenge, answer('sha256', '34cc', '4a')), 'a message without recovery')

  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecKey = ec.publicKey.export({ type: 'spki', format: 'der' })
  for (const dsaEncoding of ['ieee-p1363', 'der'] as const)
    for (const digest of ['sha256', 'sha1', 'sha512']) {
      const given = sign(digest, challenge, { key: ec.privateKey, dsaEncoding })
      t.true(isChallengeAnswered(ecKey, challenge, given), `${digest} ${dsaEncoding}`)
      t.false(isChallengeAnswered(ecKey, randomBytes(8), given), `${digest} ${dsaEncoding}, another challenge`)
    }
  t.is(isChallengeAnswered(ecKey, randomBytes(7), Buffer.alloc(64)), null, 'no challenge of the standard')
})

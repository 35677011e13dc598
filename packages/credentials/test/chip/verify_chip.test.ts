import test from 'ava'
import fc from 'fast-check'
import { rounds } from '../../../../test/tier.ts'
import { readCertificate } from '../../chip/certificates.ts'
import { readRevocationList } from '../../chip/revocation_list.ts'
import { readSecurityObject } from '../../chip/security_object.ts'
import { type ChipFileName, type ChipFiles, verifyChip } from '../../chip/verify_chip.ts'
import { personalise, specimenCard, specimenPassport } from '../../synthetic/chip.ts'
import type { Algorithm } from '../../synthetic/keys.ts'
import {
  createRoot,
  createState,
  issueLink,
  issueRevocationList,
  issueSigner,
  usualAlgorithm,
} from '../../synthetic/state.ts'
import { algorithms, listKeys } from './algorithms.ts'
import { challenge, filesOf, listDoubts, makeFiles, now, signedAt, trust, usual } from './invented_chip.ts'

const digests = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const

for (const algorithm of algorithms)
  test(`a state that signs by ${JSON.stringify(algorithm)} is believed, and another with the same name is not`, t => {
    const [keys, signerKeys, otherKeys] = listKeys(algorithm)
    const root = createRoot('UT', algorithm, { keys })
    const state = { root, signer: issueSigner(root, algorithm, { keys: signerKeys }) }
    const files = makeFiles(state, specimenPassport, { ...usual, digest: algorithm.digest })
    const findings = verifyChip(files, trust([state.root]), now)
    t.deepEqual(listDoubts(findings), [])
    t.is(findings.mrz?.last_name, 'ERIKSSON')
    t.is(findings.signed_at, new Date(signedAt).toISOString())
    const other = createRoot('UT', algorithm, { keys: otherKeys })
    t.deepEqual(listDoubts(verifyChip(files, trust([other]), now)), ['issuer UNDETERMINED NO_TRUST_ANCHOR'])
  })

test('both versions of the security object are read, of cards too, with the key’s algorithm for the signature’s', t => {
  const state = createState()
  for (const version of [0, 1] as const) {
    const files = makeFiles(state, specimenCard, { ...usual, version, names_key_algorithm: true })
    const findings = verifyChip(files, trust([state.root]), now)
    t.deepEqual(listDoubts(findings), [])
    t.is(findings.mrz?.format, 'TD1')
    t.is(readSecurityObject(files.sod).version, version)
  }
})

test("states' deviations are read: plain data for the security object, a name in another order", t => {
  const state = createState()
  const read = (options: object): string[] =>
    listDoubts(verifyChip(makeFiles(state, specimenPassport, { ...usual, ...options }), trust([state.root]), now))
  t.deepEqual(read({ content_type: '1.2.840.113549.1.7.1' }), [])
  t.deepEqual(read({ reverses_name: true }), [])
  t.deepEqual(read({ content_type: '2.23.136.1.1.2' }), ['files UNDETERMINED UNREADABLE'])
})

test('names in full and the date of issue come from DG11 and DG12', t => {
  const state = createState()
  const content = { ...specimenPassport, full_name: 'ERIKSSON<<ANNA<MARIA<SOFIA', issue_date: '2024-06-01' }
  const { details } = verifyChip(makeFiles(state, content), trust([state.root]), now)
  t.like(details, { last_name: 'ERIKSSON', first_name: 'ANNA MARIA SOFIA', issue_date: '2024-06-01' })
  const apart = { ...content, full_name: 'ERIKSSON<<ANNA<<MARIA<<<SOFIA<<' }
  t.like(verifyChip(makeFiles(state, apart), trust([state.root]), now).details, {
    last_name: 'ERIKSSON',
    first_name: 'ANNA MARIA SOFIA',
  })
  const whole = { ...content, full_name: 'ANNA MARIA ERIKSSON' }
  const unsplit = verifyChip(makeFiles(state, whole), trust([state.root]), now).details
  t.like(unsplit, { last_name: null, first_name: null, issue_date: '2024-06-01' })
})

test('the signer may be imported instead of being in the file', t => {
  const state = createState()
  const files = makeFiles(state, specimenPassport, { ...usual, with_certificate: false })
  t.deepEqual(listDoubts(verifyChip(files, trust([state.root]), now)), ['signature UNDETERMINED SIGNER_UNKNOWN'])
  const signers = [readCertificate(state.signer.certificate)]
  t.deepEqual(listDoubts(verifyChip(files, trust([state.root], { signers }), now)), [])
})

test('certificates count at the time of signing, not today', t => {
  const at = { not_before: Date.UTC(2010, 0, 1), not_after: Date.UTC(2016, 0, 1) }
  const root = createRoot('UT', usualAlgorithm, at)
  const state = { root, signer: issueSigner(root, usualAlgorithm, at) }
  const signed = (signed_at: number | null): string[] =>
    listDoubts(verifyChip(makeFiles(state, specimenPassport, { ...usual, signed_at }), trust([root]), now))
  t.deepEqual(signed(Date.UTC(2015, 0, 1)), [])
  t.deepEqual(signed(null), [])
  t.deepEqual(signed(Date.UTC(2017, 0, 1)), ['issuer UNDETERMINED OUT_OF_TIME'])
  t.deepEqual(signed(Date.UTC(2009, 0, 1)), ['issuer UNDETERMINED OUT_OF_TIME'])
  const future = createState()
  const early = makeFiles(future, specimenPassport, { ...usual, signed_at: now + 86_400_000 })
  t.deepEqual(listDoubts(verifyChip(early, trust([future.root]), now)), ['issuer UNDETERMINED OUT_OF_TIME'])
})

test('a link leads from a new root to an old one, and a chain that is too long leads nowhere', t => {
  const roots = Array.from({ length: 5 }, (_, at) => createRoot('UT', usualAlgorithm, { name: `Root ${at}` }))
  const [first, second, third, fourth, fifth] = roots
  if (!(first && second && third && fourth && fifth)) return t.fail()
  const links = [issueLink(first, second), issueLink(second, third), issueLink(third, fourth), issueLink(fourth, fifth)]
  const signed = (root: typeof first): string[] =>
    listDoubts(
      verifyChip(makeFiles({ root, signer: issueSigner(root, usualAlgorithm) }), trust([first, ...links]), now),
    )
  t.deepEqual(signed(second), [])
  t.deepEqual(signed(fourth), [])
  t.deepEqual(signed(fifth), ['issuer UNDETERMINED NO_TRUST_ANCHOR'])
})

test('a signer that its state revoked is no longer believed', t => {
  const state = createState()
  const files = makeFiles(state)
  const revoking = (serial: number, issuer = state.root) => ({
    revocation_lists: [readRevocationList(issueRevocationList(issuer, [serial], now))],
  })
  const doubts = (more: ReturnType<typeof revoking>): string[] =>
    listDoubts(verifyChip(files, trust([state.root], more), now))
  t.deepEqual(doubts(revoking(7)), ['revocation FAILED REVOKED'])
  t.deepEqual(doubts(revoking(8)), [])
  // A stranger's list with the state's name revokes nothing.
  t.deepEqual(doubts(revoking(7, createRoot('UT', usualAlgorithm))), [])
})

test('a signer of another state, of lists, or that is a copy of the name alone proves nothing', t => {
  const state = createState()
  const neighbour = createRoot('DE', usualAlgorithm)
  const foreign = makeFiles({ root: neighbour, signer: issueSigner(neighbour, usualAlgorithm) })
  t.deepEqual(listDoubts(verifyChip(foreign, trust([neighbour]), now)), ['issuer UNDETERMINED ANOTHER_STATE'])
  const lists = issueSigner(state.root, usualAlgorithm, { purpose: '2.23.136.1.1.3' })
  const signedByAnother = makeFiles({ root: state.root, signer: lists })
  t.deepEqual(listDoubts(verifyChip(signedByAnother, trust([state.root]), now)), ['issuer FAILED NOT_SIGNED'])
  // It names the root's key, but another one signed it: a state's wrong name of a key looks alike, so nobody is
  // accused.
  const forger = {
    ...createRoot('UT', usualAlgorithm),
    keys: { ...createRoot('UT', usualAlgorithm).keys, spki: state.root.keys.spki },
  }
  const forged = makeFiles({ root: forger, signer: issueSigner(forger, usualAlgorithm) })
  t.deepEqual(listDoubts(verifyChip(forged, trust([state.root]), now)), ['issuer UNDETERMINED NO_TRUST_ANCHOR'])
})

test('explicit parameters of a curve that is none of the known are refused', t => {
  const explicit: Algorithm = { type: 'ecdsa', digest: 'sha256', curve: 'prime256v1', explicit: true }
  const state = createState(explicit)
  const { spki } = state.signer.keys
  // The generator's x coordinate (SEC 2, 2.4.2): with another one, a forger knows the key of any point (CVE-2020-0601).
  const generator = Buffer.from('046b17d1f2e12c4247', 'hex')
  const changed = Buffer.from(spki)
  changed[spki.indexOf(generator) + 5] = 0
  t.true(spki.includes(generator))
  const root = { ...state.root, keys: { ...state.root.keys, spki: changed } }
  const signer = issueSigner({ ...root, keys: state.root.keys }, explicit)
  const files = makeFiles({ root, signer: { ...signer, certificate: Buffer.from(signer.certificate) } })
  const own = signer.certificate.indexOf(generator)
  files.sod[files.sod.indexOf(signer.certificate) + own + 5] = 0
  t.deepEqual(listDoubts(verifyChip(files, trust([state.root]), now)), [
    'signature UNDETERMINED ALGORITHM_NOT_ACCEPTED',
  ])
})

const authentications: readonly Algorithm[] = [
  ...digests.map(digest => ({ type: 'rsa' as const, digest, bits: 1024 })),
  ...digests.map(digest => ({ type: 'ecdsa' as const, digest, curve: 'prime256v1' })),
  { type: 'ecdsa', digest: 'sha512', curve: 'brainpoolP512r1', explicit: true },
]

for (const authentication of authentications)
  test(`a chip that answers by ${JSON.stringify(authentication)} is the one that was signed`, t => {
    const state = createState()
    const chip = personalise(state, { ...specimenPassport, authentication }, usual)
    const files = filesOf(chip)
    const check = (changed: Partial<ChipFiles>): string[] =>
      listDoubts(verifyChip({ ...files, ...changed }, trust([state.root]), now))
    t.deepEqual(check({}), [])
    t.deepEqual(check({ answer: null }), ['active_authentication UNDETERMINED NO_RESPONSE'])
    const response = chip.answer?.(challenge) ?? Buffer.alloc(0)
    const other = Buffer.from('0102030405060709', 'hex')
    t.deepEqual(check({ answer: { challenge: other, response } }), ['active_authentication FAILED NOT_SIGNED'])
    // A copy: the files of one chip, and the answer of another one's key.
    const copy = personalise(state, { ...specimenPassport, authentication }, usual)
    const copied = copy.answer?.(challenge) ?? Buffer.alloc(0)
    t.deepEqual(check({ answer: { challenge, response: copied } }), ['active_authentication FAILED NOT_SIGNED'])
    const { dg15: _, ...withoutKey } = files.data_groups
    t.deepEqual(check({ data_groups: withoutKey }), ['active_authentication UNDETERMINED NO_RESPONSE'])
  })

test('a passport without a key for active authentication is no failure', t => {
  const state = createState()
  const { checks } = verifyChip(makeFiles(state), trust([state.root]), now)
  t.false(checks.some(({ name }) => name === 'active_authentication'))
})

const whole = createState()
const rich = personalise(
  whole,
  {
    ...specimenPassport,
    full_name: 'ERIKSSON<<ANNA',
    issue_date: '2024-06-01',
    authentication: { type: 'ecdsa', digest: 'sha256', curve: 'prime256v1' },
  },
  usual,
)
const richFiles = filesOf(rich)
const anchors = trust([whole.root])

function flip(file: Buffer, bit: number): Buffer {
  const changed = Buffer.from(file)
  const at = bit % (file.length * 8)
  changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7))
  return changed
}

test('a bit changed in a data group is found, wherever it is', t => {
  const names = Object.keys(richFiles.data_groups) as ChipFileName[]
  const anyChange = fc.record({ name: fc.constantFrom(...names), bit: fc.nat() })
  fc.assert(
    fc.property(anyChange, ({ name, bit }) => {
      const file = richFiles.data_groups[name] ?? Buffer.alloc(0)
      const data_groups = { ...richFiles.data_groups, [name]: flip(file, bit) }
      return listDoubts(verifyChip({ ...richFiles, data_groups }, anchors, now)).includes(
        'data_groups FAILED DIGEST_DIFFERS',
      )
    }),
    { numRuns: rounds(60, 5000) },
  )
  t.pass()
})

test('a bit changed in EF.SOD proves nothing, unless it is one of those that say nothing', t => {
  const object = readSecurityObject(richFiles.sod)
  fc.assert(
    fc.property(fc.nat(), bit => {
      const sod = flip(richFiles.sod, bit)
      const findings = verifyChip({ ...richFiles, sod }, anchors, now)
      // CMS has unsigned bits: versions, and the names of algorithms that are named again.
      return listDoubts(findings).length > 0 || readSecurityObject(sod).signed.content.equals(object.signed.content)
    }),
    { numRuns: rounds(120, 20_000) },
  )
  t.pass()
})

test('any file of another passport is found', t => {
  const other = filesOf(
    personalise(
      whole,
      {
        ...specimenPassport,
        portrait: Buffer.concat([specimenPassport.portrait, Buffer.from([1])]),
        fields: { ...specimenPassport.fields, document_number: 'X1' },
        full_name: 'ERIKSSON<<EVA',
        issue_date: '2024-06-02',
        authentication: { type: 'ecdsa', digest: 'sha256', curve: 'prime256v1' },
      },
      usual,
    ),
  )
  for (const name of Object.keys(other.data_groups) as ChipFileName[]) {
    const data_groups = { ...richFiles.data_groups, [name]: other.data_groups[name] }
    t.true(listDoubts(verifyChip({ ...richFiles, data_groups }, anchors, now)).length > 0, name)
  }
  t.true(listDoubts(verifyChip({ ...richFiles, sod: other.sod }, anchors, now)).length > 0)
  t.deepEqual(listDoubts(verifyChip(other, anchors, now)), [])
})

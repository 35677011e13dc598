import { createHash } from 'node:crypto'
import test from 'ava'
import { rounds } from '../../../../test/tier.ts'
import { openRoots, readRevocationStatus, verifyAndroid } from '../../attestation.ts'
import { type AndroidFacts, attestAndroid, createMaker } from '../../synthetic.ts'

const maker = createMaker('Invented root')
const software = createMaker('Invented software root')
const roots = openRoots({ google_hardware: maker.pem, google_software: software.pem })
const challenge = createHash('sha256').update('challenge').digest()
const now = Date.UTC(2026, 5, 1)
const usual = { roots, revoked: null, now }

function verify(facts: Partial<AndroidFacts> = {}, options: Partial<typeof usual> = {}) {
  const { chain } = attestAndroid(facts.level === 'SOFTWARE' ? software : maker, { challenge, ...facts })
  return verifyAndroid(chain, challenge, { ...usual, ...options })
}

test('an attested key says what its hardware, its boot and its app are', t => {
  const { spki, ...rest } = verify()
  t.is(spki.length, 91)
  t.deepEqual(rest, {
    level: 'TRUSTED_ENVIRONMENT',
    root_of_trust: { boot_key: '03'.repeat(32), is_locked: true, boot_state: 'VERIFIED' },
    app: { packages: ['org.example.app'], signers: ['ab'.repeat(32)] },
    os_version: '14.0.0',
    os_patch_level: '2024-06',
    signs: true,
  })
  t.false(verify({ algorithm: { type: 'ecdsa', digest: 'sha384', curve: 'secp384r1' } }).signs)
})

test('each version of a key’s description is read', t => {
  for (const version of [1, 2, 3, 4, 100, 200, 300, 400, 500])
    t.is(verify({ version }).root_of_trust?.boot_state, 'VERIFIED', `${version}`)
})

test('every boot state, lock and level is read', t => {
  for (const boot_state of ['VERIFIED', 'SELF_SIGNED', 'UNVERIFIED', 'FAILED'] as const)
    for (const is_locked of [true, false]) {
      const { root_of_trust } = verify({ boot_state, is_locked, level: 'STRONG_BOX' })
      t.like(root_of_trust, { boot_state, is_locked })
    }
  const { level, root_of_trust, app } = verify({ level: 'SOFTWARE' })
  t.deepEqual([level, root_of_trust], ['SOFTWARE', null], 'software says nothing of a boot')
  t.deepEqual(app?.packages, ['org.example.app'])
})

test('certificates of the factory count after their end, those that are sent do not', t => {
  const ended = { not_after: now - 1 }
  t.is(verify({ ...ended, inner: 2 }).level, 'TRUSTED_ENVIRONMENT')
  t.throws(() => verify({ ...ended, inner: 3 }), { message: 'one of its certificates has expired' })
  t.throws(() => verify({}, { now: Date.UTC(2019, 0, 1) }), { message: 'one of its certificates is not valid yet' })
})

test('a false attestation is refused, with the reason', t => {
  const { chain } = attestAndroid(maker, { challenge })
  const refuse = (certificates: readonly Buffer[], message: string, given: Uint8Array = challenge): void => {
    t.throws(() => verifyAndroid(certificates, given, usual), { message })
  }
  refuse(chain, 'is of another challenge', Buffer.alloc(32))
  refuse(chain, 'is of another challenge', challenge.subarray(1))
  refuse(chain.slice(0, 1), 'must be a chain of certificates')
  refuse(chain.slice(1), 'the first certificate attests no key')
  refuse([], 'the first certificate attests no key')
  refuse(chain.slice(0, 2), 'its root is not one of Google’s')
  refuse(
    Array.from({ length: 9 }, () => chain[0] ?? Buffer.alloc(0)),
    'has too many certificates',
  )
  refuse(
    [chain[0], chain[2], chain[1], chain[3]].flatMap(one => one ?? []),
    'its chain is broken',
  )
  const stranger = attestAndroid(createMaker('Invented root'), { challenge })
  refuse(stranger.chain, 'its root is not one of Google’s')
  refuse([...stranger.chain.slice(0, -1), maker.certificate], 'its chain is broken')
  const disguised = attestAndroid(software, { challenge, level: 'STRONG_BOX' })
  refuse(disguised.chain, 'a root for software attests hardware')
  refuse(attestAndroid(maker, { challenge, origin: 2 }).chain, 'the key was not made in the hardware')
})

test('a key that was attested attests no other', t => {
  const { chain, ...attested } = attestAndroid(maker, { challenge: Buffer.alloc(32) })
  const forged = attestAndroid({ ...maker, ...attested }, { challenge, inner: 0 })
  const [leaf] = forged.chain
  t.throws(() => verifyAndroid([leaf ?? Buffer.alloc(0), ...chain], challenge, usual), {
    message: /an attested key issued its certificate|may not issue others/,
  })
})

test('tags out of their order, twice, or without a class are refused', t => {
  const message = 'KeyDescription: the tags are not in ascending order'
  t.throws(() => verify({ rearrange: parts => parts.toReversed() }), { message })
  t.throws(() => verify({ rearrange: parts => [...parts, ...parts.slice(-1)] }), { message })
  t.throws(() => verify({ rearrange: () => [Buffer.from('020101', 'hex')] }), {
    message: 'KeyDescription: an authorization has no tag',
  })
})

test('a revoked certificate takes its chain along, and a list that is not understood revokes nothing', t => {
  const list = (entries: unknown): string => JSON.stringify({ entries })
  const revoked = readRevocationStatus(list({ '0066': { status: 'REVOKED', reason: 'KEY_COMPROMISE' } }))
  t.throws(() => verify({}, { revoked: revoked as never }), { message: 'one of its certificates is revoked' })
  t.true(readRevocationStatus(list({ ff: { status: 'SUSPENDED' } })).has('ff'))
  t.is(verify({}, { revoked: readRevocationStatus(list({})) as never }).level, 'TRUSTED_ENVIRONMENT')
  for (const text of [
    '',
    '[]',
    '{}',
    '{"entries":[]}',
    list({ ff: { status: 'FINE' } }),
    list({ x: { status: 'REVOKED' } }),
  ])
    t.throws(() => readRevocationStatus(text), { name: 'UnreadableFileError' }, text)
})

test('no bit of a leaf, and none of an issuer, can be changed', t => {
  const { chain } = attestAndroid(maker, { challenge, inner: 3 })
  let accepted = 0
  chain.slice(0, -1).forEach((certificate, at) => {
    for (let bit = at; bit < certificate.length * 8; bit += rounds(37, 1)) {
      const changed = Buffer.from(certificate)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      try {
        verifyAndroid(chain.with(at, changed), challenge, usual)
        accepted++
      } catch (error) {
        if (!(error instanceof Error) || !['AttestationError', 'UnreadableFileError'].includes(error.name)) throw error
      }
    }
  })
  t.is(accepted, 0)
})

test('the makers’ own roots are there, and sign themselves', t => {
  const { google_hardware, google_software, apple } = openRoots()
  t.deepEqual([google_hardware.length, google_software.length, apple.length], [2, 2, 1])
  for (const root of [...google_hardware, ...google_software, ...apple]) t.true(root.isIssuedBy(root))
})

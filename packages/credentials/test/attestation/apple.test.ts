import { createHash, generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { rounds } from '../../../../test/tier.ts'
import { openRoots, readPublicKey, verifyApple, verifyAssertion } from '../../attestation.ts'
import { type AppleFacts, attestApple, createMaker } from '../../synthetic.ts'

const maker = createMaker('Invented App Attestation Root CA')
const roots = openRoots({ apple: maker.pem })
const challenge = createHash('sha256').update('challenge').digest()
const now = Date.UTC(2026, 5, 1)

function verify(facts: Partial<AppleFacts> = {}, given: { key_id?: Buffer; challenge?: Buffer } = {}) {
  const { key_id, object } = attestApple(maker, { challenge, ...facts })
  return verifyApple(object, { key_id, challenge, ...given }, { roots, now })
}

test('an attestation says which app made the key, and where it runs', t => {
  const { spki, ...rest } = verify()
  t.is(spki.length, 91)
  t.deepEqual(rest, {
    environment: 'production',
    app_id_sha256: createHash('sha256').update('ABCDE12345.org.example.app').digest('hex'),
    app_id: 'ABCDE12345.org.example.app',
    os_version: '17.2.1',
  })
  t.is(verify({ environment: 'development' }).environment, 'development')
})

test('a false attestation is refused, with the reason', t => {
  t.throws(() => verify({}, { challenge: Buffer.alloc(32) }), { message: 'is of another challenge' })
  t.throws(() => verify({}, { key_id: Buffer.alloc(32) }), { message: 'its key is not that of key_id' })
  t.throws(() => verify({ counter: 1 }), { message: 'its key was used before' })
  t.throws(() => verify({ not_after: now - 1 }), { message: 'one of its certificates is out of its time' })
  const { key_id, object } = attestApple(createMaker('Invented App Attestation Root CA'), { challenge })
  t.throws(() => verifyApple(object, { key_id, challenge }, { roots, now }), { message: 'its root is not Apple’s' })
  for (const bytes of [Buffer.alloc(0), Buffer.from('a0', 'hex'), Buffer.from([...object, 0])])
    t.throws(() => verifyApple(bytes, { key_id, challenge }, { roots, now }), { name: 'UnreadableFileError' })
})

/** Counts the changed copies that are accepted, which are not those of `unsigned`. */
function countAccepted(bytes: Buffer, unsigned: Buffer, accept: (changed: Buffer) => void): number {
  const at = unsigned.length === 0 ? -1 : bytes.indexOf(unsigned)
  let accepted = 0
  for (let bit = 0; bit < bytes.length * 8; bit += rounds(7, 1)) {
    const byte = bit >> 3
    if (at >= 0 && byte >= at && byte < at + unsigned.length) continue
    const changed = Buffer.from(bytes)
    changed[byte] = (changed[byte] ?? 0) ^ (1 << (bit & 7))
    try {
      accept(changed)
      accepted++
    } catch (error) {
      if (!(error instanceof Error) || !['AttestationError', 'UnreadableFileError'].includes(error.name)) throw error
    }
  }
  return accepted
}

test('no bit of an attestation can be changed, but those of the receipt, which is not read', t => {
  const { key_id, object } = attestApple(maker, { challenge })
  const receipt = Buffer.from('none')
  t.is(
    countAccepted(object, receipt, changed => verifyApple(changed, { key_id, challenge }, { roots, now })),
    0,
  )
})

test('an assertion is of its key, its app and its data alone, and no bit of it can be changed', t => {
  const { object, key_id, assert } = attestApple(maker, { challenge })
  const { spki, app_id_sha256 } = verifyApple(object, { key_id, challenge }, { roots, now })
  const key = { public_key: readPublicKey(spki), app_id_sha256 }
  const data = Buffer.from('what is signed')
  t.is(verifyAssertion(assert(data, 1), data, key), 1)
  t.is(verifyAssertion(assert(data, 70_000), data, key), 70_000)
  t.throws(() => verifyAssertion(assert(data, 0), data, key), { message: 'its counter must be at least 1' })
  t.throws(() => verifyAssertion(assert(data, 1), Buffer.from('another'), key), { message: 'its signature is wrong' })
  const other = { ...key, public_key: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey }
  t.throws(() => verifyAssertion(assert(data, 1), data, other), { message: 'its signature is wrong' })
  const foreign = { ...key, app_id_sha256: '00'.repeat(32) }
  t.throws(() => verifyAssertion(assert(data, 1), data, foreign), { message: 'is another app’s' })
  t.is(
    countAccepted(assert(data, 1), Buffer.alloc(0), changed => verifyAssertion(changed, data, key)),
    0,
  )
})

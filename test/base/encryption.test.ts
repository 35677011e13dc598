import { createHmac } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { DecryptionError, decrypt, encrypt, hmac, newKey } from '../../src/base/encryption.ts'
import { drawNonce } from '../../src/base/random.ts'

test('An HMAC is the one of RFC 2104 with SHA-256', t => {
  // RFC 4231 §4.3 is made with a text as the key.
  t.is(
    hmac(Buffer.from('Jefe'), 'what do ya want for nothing?').digest('hex'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.string(), (key, data) => {
      t.is(hmac(key, data).digest('base64url'), createHmac('sha256', key).update(data).digest('base64url'))
    }),
  )
})

test('A ciphertext decrypts with its key and its additional data, and with no other', t => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1 }), (plain, aad) => {
      const key = newKey()
      const encrypted = encrypt(key, aad, plain)
      t.is(decrypt(key, aad, encrypted).toString('utf8'), Buffer.from(plain).toString('utf8'))
      t.throws(() => decrypt(newKey(), aad, encrypted), { instanceOf: DecryptionError })
      t.throws(() => decrypt(key, `${aad}/other`, encrypted), { instanceOf: DecryptionError })
    }),
  )
})

test('An empty text, and one longer than a piece, decrypt to themselves', t => {
  const key = newKey()
  for (const length of [0, 1, 65_535, 65_536, 65_537, 300_000]) {
    const plain = Buffer.from(Uint8Array.from({ length }, (_, n) => n % 251))
    const encrypted = encrypt(key, 'aad', plain)
    t.deepEqual(decrypt(key, 'aad', encrypted), plain, `${length} bytes`)
    // NIST SP 800-38D: the stored bytes are the nonce, the tag and as many bytes as the text has.
    t.is(encrypted.length, 28 + length)
    encrypted.writeUInt8(encrypted.readUInt8(encrypted.length - 1) ^ 1, encrypted.length - 1)
    t.throws(() => decrypt(key, 'aad', encrypted), { instanceOf: DecryptionError })
  }
})

test('Random bytes are never given twice', t => {
  const drawn = Array.from({ length: 2000 }, () => drawNonce(12))
  t.is(new Set(drawn.map(bytes => bytes.toString('hex'))).size, drawn.length)
  t.true(drawn.every(bytes => bytes.some(byte => byte !== 0)))
  const [kept] = drawn
  const before = kept?.toString('hex')
  drawNonce(4096)
  t.is(kept?.toString('hex'), before, 'what was given does not change')
})

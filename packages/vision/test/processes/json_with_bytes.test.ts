import test from 'ava'
import { decodeJsonWithBytes, encodeJsonWithBytes } from '../../processes/json_with_bytes.ts'

test('a value comes back with its texts, numbers and bytes, wherever they are in it', t => {
  const value = {
    text: 'ñ',
    list: [Uint8Array.of(1, 2), null, { deep: new Uint8Array(0) }],
    last: Uint8Array.from({ length: 300 }, (_, n) => n),
  }
  const content = Buffer.concat(encodeJsonWithBytes(value))
  t.deepEqual(decodeJsonWithBytes(content), value)
  t.true(content.length < 420, 'bytes take no more than they are')
})

test('bytes are sent as they are, uncopied, those of a Buffer too', t => {
  const image = Buffer.alloc(10_000, 7)
  const frame = new Uint8Array(10_000)
  const pieces = encodeJsonWithBytes({
    id: 7,
    request: { selfie: image, frames: [null, frame, image], absent: undefined },
  })
  t.is(pieces.filter(piece => piece === image).length, 2)
  t.true(pieces.includes(frame))
  const same = Uint8Array.from(image)
  t.deepEqual(decodeJsonWithBytes(Buffer.concat(pieces)), {
    id: 7,
    request: { selfie: same, frames: [null, frame, same] },
  })
})

test('a value that is cut off is rejected', t => {
  const content = Buffer.concat(encodeJsonWithBytes({ bytes: Uint8Array.of(1, 2) }))
  t.throws(() => decodeJsonWithBytes(content.subarray(0, -1)), { message: /fewer bytes/ })
  t.throws(() => decodeJsonWithBytes(content.subarray(0, 20)), { message: /shorter/ })
})

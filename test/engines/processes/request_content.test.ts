import { randomBytes } from 'node:crypto'
import test from 'ava'
import { decodeRequest, encodeRequest } from '../../../src/engines/processes/request_content.ts'

const large = 64 * 1024

test('a request comes out as it went in, with its large images uncopied', t => {
  const image = randomBytes(10 * large)
  const frame = new Uint8Array(randomBytes(large))
  const request = {
    id: 7,
    request: {
      selfie: image,
      challenge: { frames: [null, frame, image], attempts: 2 },
      small: Buffer.from('small'),
      floats: new Float32Array([0.5, Number.NaN]),
      missing: undefined,
      names: new Map([['a', new Date(0)]]),
    },
  }
  const pieces = encodeRequest(request)
  t.is(pieces.filter(piece => piece === image).length, 2)
  t.true(pieces.includes(frame))
  const decoded = decodeRequest(Buffer.concat(pieces)) as typeof request
  t.deepEqual(decoded, request)
  t.true(Buffer.isBuffer(decoded.request.selfie))
  t.false(Buffer.isBuffer(decoded.request.challenge.frames[1]))
})

test('what is no object with large bytes comes out as it went in, too', t => {
  for (const value of [null, 'text', 1.5, [], [[]], Buffer.alloc(large - 1, 1), Buffer.alloc(large, 2)])
    t.deepEqual(decodeRequest(Buffer.concat(encodeRequest(value))), value)
})

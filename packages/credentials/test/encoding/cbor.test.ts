import test from 'ava'
import { findMember, readCbor, requireType } from '../../encoding/cbor.ts'
import { writeCbor } from '../../encoding/cbor_writer.ts'
import { readDer, requireBoolean, requireInteger } from '../../encoding/strict_der.ts'

/** RFC 8949, appendix A. */
const samples: readonly (readonly [hex: string, value: unknown])[] = [
  ['00', 0],
  ['17', 23],
  ['1818', 24],
  ['1903e8', 1000],
  ['1b000000e8d4a51000', 1_000_000_000_000],
  ['1bffffffffffffffff', 18_446_744_073_709_551_615n],
  ['3bffffffffffffffff', -18_446_744_073_709_551_616n],
  ['20', -1],
  ['3903e7', -1000],
  ['f90001', 2 ** -24],
  ['f97bff', 65_504],
  ['fa47c35000', 100_000],
  ['fb3ff199999999999a', 1.1],
  ['f97c00', Number.POSITIVE_INFINITY],
  ['f4', false],
  ['f5', true],
  ['f6', null],
  ['f7', undefined],
  ['6449455446', 'IETF'],
  ['62c3bc', 'ü'],
]

test('the samples of RFC 8949 are read', t => {
  for (const [hex, value] of samples) t.is<unknown, unknown>(readCbor(Buffer.from(hex, 'hex')).value, value, hex)
  const tagged = readCbor(Buffer.from('c11a514b67b0', 'hex'))
  t.like(tagged, { type: 'tag', tag: 1, value: { value: 1_363_896_240 } })
})

test('an item keeps the bytes that it was read from', t => {
  const map = writeCbor(
    new Map<string | number, unknown>([
      ['a', [1, new Map([[2, 'b']])]],
      [-7, Buffer.from('c')],
    ]) as never,
  )
  const item = readCbor(map)
  t.is(findMember(item, 'a')?.raw.toString('hex'), '8201a1026162')
  t.is(requireType(findMember(item, -7), 'bytes').toString(), 'c')
  t.is(findMember(item, 'z'), null)
})

test('an encoding that a strict writer never uses is refused', t => {
  const refused = [
    ...['', '18', '1817', '190017', '1a000000ff', '1b00000000ffffffff', '1c', '1f', 'ff'],
    ...['5f4101ff', '7f6161ff', '9f01ff', 'bf6161 01ff', '5801', '4201', '61ff', '62c328', '81', 'a101', '0000'],
    ...['a2616101616102', 'f800', 'f820', 'fc', 'e0', 'f1', '9bffffffffffffffff', 'bbffffffffffffffff', 'c1'],
    `${'81'.repeat(20)}00`,
  ]
  for (const hex of refused)
    t.throws(() => readCbor(Buffer.from(hex.replaceAll(' ', ''), 'hex')), { name: 'UnreadableFileError' }, hex)
  const unsorted = Buffer.from('a2616201616101', 'hex')
  t.is(readCbor(unsorted).type, 'map')
  t.throws(() => readCbor(unsorted, { ordered: true }), { message: /not sorted/ })
  t.throws(() => readCbor(Buffer.alloc(100), { max_bytes: 99 }), { message: /too large/ })
  t.throws(() => readCbor(writeCbor(Array.from({ length: 30 }, () => 0)), { max_items: 30 }), { message: /too many/ })
})

test('longer forms are read where they may be, and then a key in two forms is still a key twice', t => {
  const long = Buffer.from('b900016161190001', 'hex')
  t.throws(() => readCbor(long), { message: /longer than needed/ })
  t.is(findMember(readCbor(long, { shortest: false }), 'a')?.value, 1)
  for (const twice of ['a2616101780161 02', 'a20101180102', 'a220012a', 'a220013800 02'])
    t.throws(() => readCbor(Buffer.from(twice.replaceAll(' ', ''), 'hex'), { shortest: false }), undefined, twice)
})

test('DER that is longer than needed, cut off, or no truth value is refused', t => {
  const refused = ['3080', '308100', '30820001', '30817f', '0202', '1f', '1f8001', '1f1e00', '3081']
  for (const hex of refused) t.throws(() => readDer(Buffer.from(hex, 'hex')), { name: 'UnreadableFileError' }, hex)
  const one = (hex: string) => readDer(Buffer.from(hex, 'hex'))[0]
  for (const hex of ['02020001', '0200', '020180', '2203020101'])
    t.throws(() => requireInteger(one(hex)), { name: 'UnreadableFileError' }, hex)
  for (const hex of ['010101', '0100', '01020000']) t.throws(() => requireBoolean(one(hex)), undefined, hex)
  t.is(requireInteger(one('0202 0080'.replace(' ', ''))), 128n)
  t.like(one('bf85400101'), { tag_class: 2, tag: 704, is_constructed: true })
})

test('a count of items above the bound is refused before any of them is read', t => {
  const reserved = Buffer.alloc(5000, 0x1c)
  for (const head of ['991388', 'b91388'])
    t.throws(() => readCbor(Buffer.concat([Buffer.from(head, 'hex'), reserved])), { message: /too many items/ }, head)
})

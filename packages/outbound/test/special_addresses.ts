import fc from 'fast-check'
import { specialBlocksV4, specialBlocksV6, specialSpansV6 } from '../addresses.ts'

export function v4Number(text: string): number {
  return text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

export function v4Bytes(value: number): number[] {
  return [24, 16, 8, 0].map(shift => Math.floor(value / 2 ** shift) % 256)
}

export function dotted(value: number): string {
  return v4Bytes(value).join('.')
}

export function v6Text(value: bigint): string {
  return [7, 6, 5, 4, 3, 2, 1, 0].map(group => ((value >> BigInt(group * 16)) & 0xffffn).toString(16)).join(':')
}

export function v6Number(text: string): bigint {
  const [head = '', tail = ''] = text.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const groups = text.includes('::')
    ? [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right]
    : left
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
}

/** Edges come up as often as the middle: off-by-one is the fault to look for. */
export function within(first: bigint, last: bigint): fc.Arbitrary<bigint> {
  return fc.oneof(fc.constantFrom(first, last), fc.bigInt({ min: first, max: last }))
}

export const specialV4 = fc
  .constantFrom(...specialBlocksV4)
  .chain(([address, prefix]) => {
    const first = BigInt(v4Number(address))
    return within(first, first + 2n ** BigInt(32 - prefix) - 1n)
  })
  .map(Number)

export const specialV6 = fc.oneof(
  fc.constantFrom(...specialBlocksV6).chain(([address, prefix]) => {
    const first = v6Number(address)
    return within(first, first + 2n ** BigInt(128 - prefix) - 1n)
  }),
  fc.constantFrom(...specialSpansV6).chain(([first, last]) => within(v6Number(first), v6Number(last))),
)

export const anyV4 = fc.integer({ min: 0, max: 2 ** 32 - 1 })

export const radices = [
  (n: number) => String(n),
  (n: number) => `0${n.toString(8)}`,
  (n: number) => `0x${n.toString(16)}`,
  (n: number) => `0X${n.toString(16).toUpperCase().padStart(4, '0')}`,
]

/** All that inet_aton and the WHATWG parser read: one to four parts, each decimal, octal or hex, with the root's dot. */
export function spellings(value: number): fc.Arbitrary<string> {
  const [a = 0, b = 0, c = 0, d = 0] = v4Bytes(value)
  const forms = [[a, b, c, d], [a, b, c * 256 + d], [a, b * 65536 + c * 256 + d], [value]]
  const shape = fc.tuple(
    fc.constantFrom(...forms),
    fc.array(fc.constantFrom(...radices), { minLength: 4, maxLength: 4 }),
    fc.constantFrom('', '.'),
  )
  return shape.map(([parts, radix, dot]) => parts.map((part, i) => (radix[i] ?? String)(part)).join('.') + dot)
}

export function hex(value: number): string {
  return `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`
}

/** IPv6 addresses that carry an IPv4 one: mapped, compatible, translated, NAT64 (both), 6to4, Teredo. */
export const carriers = [
  (n: number) => `::ffff:${dotted(n)}`,
  (n: number) => `::ffff:${hex(n)}`,
  (n: number) => `0:0:0:0:0:FFFF:${hex(n)}`,
  (n: number) => `::${hex(n)}`,
  (n: number) => `::ffff:0:${hex(n)}`,
  (n: number) => `64:ff9b:1::${hex(n)}`,
  (n: number) => `2002:${hex(n)}::1`,
  (n: number) => `2001:0:4136:e378:8000:63bf:${hex(~n >>> 0)}`,
]

import { rangeOf } from './cidr.ts'

type Value = string | number | { readonly [key: string]: Value }

/** A control byte and its payload (MaxMind DB file format 2.0, "Output data section"); nothing here is longer than 28. */
function field(type: number, payload: Buffer, size = payload.length): Buffer {
  if (size > 28) throw new Error('too long')
  const control = type <= 7 ? [(type << 5) | size] : [size, type - 7]
  return Buffer.concat([Buffer.from(control), payload])
}

function unsigned(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') return field(2, Buffer.from(value))
  if (typeof value === 'number') return field(6, unsigned(value))
  const entries = Object.entries(value)
  const pairs = entries.flatMap(([key, inner]) => [encode(key), encode(inner)])
  return field(7, Buffer.concat(pairs), entries.length)
}

interface Node {
  readonly sides: [Node | string | null, Node | string | null]
  number: number
}

function newNode(): Node {
  return { sides: [null, null], number: 0 }
}

/** A country database of a few blocks, IPv4 ones lying under ::/96 as in the real files. Longer blocks come last. */
export function writeMmdb(countries: Readonly<Record<string, string>>): Buffer {
  const root = newNode()
  for (const [block, country] of Object.entries(countries)) {
    const path = rangeOf(block)
    let node = root
    for (const bit of path.slice(0, -1)) {
      const next = node.sides[bit]
      const inner =
        typeof next === 'object' && next !== null ? next : { ...newNode(), sides: [next, next] as Node['sides'] }
      node.sides[bit] = inner
      node = inner
    }
    node.sides[path.at(-1) ?? 0] = country
  }
  const nodes: Node[] = []
  const collect = (node: Node): void => {
    node.number = nodes.push(node) - 1
    for (const side of node.sides) if (typeof side === 'object' && side !== null) collect(side)
  }
  collect(root)
  const codes = [...new Set(Object.values(countries))]
  const records = codes.map(iso_code => encode({ country: { iso_code } }))
  const offset = (code: string): number => Buffer.concat(records.slice(0, codes.indexOf(code))).length
  const pointer = (side: Node | string | null): number => {
    if (side === null) return nodes.length
    return typeof side === 'string' ? nodes.length + 16 + offset(side) : side.number
  }
  const tree = nodes.flatMap(({ sides }) => sides.map(side => unsigned(pointer(side))))
  const metadata = {
    node_count: nodes.length,
    record_size: 32,
    ip_version: 6,
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    database_type: 'Test-Country',
  }
  const marker = Buffer.from('abcdef4d61784d696e642e636f6d', 'hex')
  return Buffer.concat([...tree, Buffer.alloc(16), ...records, marker, encode(metadata)])
}

/** The bits of a CIDR block as a path into a tree of 128 levels; an IPv4 block lies under ::/96. */
export function rangeOf(block: string): (0 | 1)[] {
  const [address = '', prefix = ''] = block.split('/')
  const isV4 = address.includes('.')
  const halves = address.split('::').map(half => half.split(':').filter(group => group !== ''))
  const [front = [], back = []] = halves
  const groups = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back]
  const bytes = isV4
    ? [...Array<number>(12).fill(0), ...address.split('.').map(Number)]
    : groups.flatMap(group => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
  const bits = bytes.flatMap(byte => [7, 6, 5, 4, 3, 2, 1, 0].map(at => ((byte >> at) & 1) as 0 | 1))
  return bits.slice(0, Number(prefix) + (isV4 ? 96 : 0))
}

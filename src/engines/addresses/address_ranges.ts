import { BlockList, isIP } from 'node:net'

export type AddressList = (address: string) => boolean

const families = { 4: 'ipv4', 6: 'ipv6' } as const

/**
 * Returns null for a text that is no address, and for one with a zone (`fe80::1%eth0`), which has a meaning on its own
 * machine only.
 */
function detectFamily(address: string): 'ipv4' | 'ipv6' | null {
  const version = address.includes('%') ? 0 : isIP(address)
  return version === 4 || version === 6 ? families[version] : null
}

/** Adds an address or a CIDR block; false where it is neither. */
function addEntry(list: BlockList, entry: string): boolean {
  const [address = '', prefix, ...more] = entry.split('/')
  const family = detectFamily(address)
  if (family === null || more.length > 0) return false
  if (prefix === undefined) {
    list.addAddress(address, family)
    return true
  }
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > (family === 'ipv4' ? 32 : 128)) return false
  list.addSubnet(address, Number(prefix), family)
  return true
}

/**
 * Reads a list: one address or CIDR block a line, IPv4 or IPv6, with comments after `#` or `;`.
 * @throws {Error} naming the first line that is neither
 */
export function parseAddressList(text: string): AddressList {
  const list = new BlockList()
  for (const [index, line] of text.split('\n').entries()) {
    const entry = line.replace(/[#;].*/, '').trim()
    if (entry !== '' && !addEntry(list, entry)) throw new Error(`line ${index + 1} is no address and no CIDR block`)
  }
  return address => {
    const family = detectFamily(address)
    return family !== null && list.check(address, family)
  }
}

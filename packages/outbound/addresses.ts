import { BlockList, isIP } from 'node:net'

/**
 * Every block of the IANA IPv4 special-purpose address registry, and multicast. Three of them are globally reachable
 * anycast services (AS112, AMT): no receiver of webhooks is there, so they are blocked like the rest. Also blocked: the
 * metadata addresses of clouds that lie outside the registry's blocks.
 */
export const specialBlocksV4: readonly (readonly [address: string, prefix: number])[] = [
  ['0.0.0.0', 8], // "this network"
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's wire server
  ['169.254.0.0', 16], // link-local, cloud metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // IETF protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.80.8.124', 32], // Equinix Metal's metadata
  ['192.88.99.0', 24], // 6to4 relays, deprecated
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, limited broadcast
]

/** The special blocks inside 2000::/3, the only part of IPv6 that is allocated as global unicast. */
export const specialBlocksV6: readonly (readonly [address: string, prefix: number])[] = [
  ['2001::', 23], // IETF protocol assignments: Teredo, ORCHID, benchmarking …
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: carries an IPv4 address of the caller's choice
  ['2620:4f:8000::', 48], // AS112
  ['3ffe::', 16], // 6bone, returned
  ['3fff::', 20], // documentation
]

/**
 * All of IPv6 outside 2000::/3: loopback, unspecified, discard, unique local, link-local, multicast, NAT64 of a network's
 * own, and unallocated blocks. Left open is NAT64's well-known prefix, by which networks without IPv4 reach the rest: what
 * it carries is judged (RFC 6052 3.1). `::ffff:0:0/96` is left open between the first two, because a BlockList applies a rule on it to
 * all of IPv4; `judgeAddress` blocks it itself, and the BlockList treats such an address as the IPv4 one in it.
 */
export const specialSpansV6: readonly (readonly [first: string, last: string])[] = [
  ['::', '::fffe:ffff:ffff'],
  ['::1:0:0:0', '64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['64:ff9b::1:0:0', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
]

/** The addresses that may be dialled: public ones only, loopback only (plain http), or any (a host the operator allows). */
export type AddressScope = 'public' | 'loopback' | 'any'

function createPublicBlockList(): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of specialBlocksV4) {
    list.addSubnet(address, prefix, 'ipv4')
    list.addSubnet(`64:ff9b::${address}`, 96 + prefix, 'ipv6')
  }
  for (const [address, prefix] of specialBlocksV6) list.addSubnet(address, prefix, 'ipv6')
  for (const [first, last] of specialSpansV6) list.addRange(first, last, 'ipv6')
  return list
}

function createLoopbackBlockList(): BlockList {
  const list = new BlockList()
  list.addRange('0.0.0.0', '126.255.255.255', 'ipv4')
  list.addRange('128.0.0.0', '255.255.255.255', 'ipv4')
  list.addAddress('::', 'ipv6')
  list.addRange('::2', '::fffe:ffff:ffff', 'ipv6')
  list.addRange('::1:0:0:0', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ipv6')
  return list
}

/** Lists for `net.connect`, which checks each address when it dials it. */
export const blockLists: Readonly<Record<AddressScope, BlockList>> = {
  public: createPublicBlockList(),
  loopback: createLoopbackBlockList(),
  any: new BlockList(),
}

const mapped = new BlockList()
mapped.addSubnet('::ffff:0:0', 96, 'ipv6')

/** Whether `address` (an IP literal without brackets) may be dialled. Pure: nothing is looked up, nothing is dialled. */
export function judgeAddress(address: string, scope: AddressScope = 'public'): 'allowed' | 'blocked' {
  const family = isIP(address)
  if (family === 0) return 'blocked'
  if (scope === 'any') return 'allowed'
  if (family === 4) return blockLists[scope].check(address, 'ipv4') ? 'blocked' : 'allowed'
  // Only link-local addresses have a zone (fe80::1%eth0), and a BlockList throws on one.
  if (address.includes('%') || mapped.check(address, 'ipv6')) return 'blocked'
  return blockLists[scope].check(address, 'ipv6') ? 'blocked' : 'allowed'
}

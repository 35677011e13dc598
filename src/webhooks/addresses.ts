import { BlockList, isIP } from 'node:net'

/**
 * Every block of the IANA IPv4 special-purpose address registry, and multicast. Three of them are globally reachable
 * anycast services (AS112, AMT): no receiver of webhooks lives there, so they are refused like the rest. So are the
 * addresses outside of it at which a cloud answers its own machines alone, who they are and with which secrets; those of
 * the other clouds lie in blocks that are special anyway.
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

/** The special blocks inside 2000::/3, the only part of IPv6 that is given out as global unicast. */
export const specialBlocksV6: readonly (readonly [address: string, prefix: number])[] = [
  ['2001::', 23], // IETF protocol assignments: Teredo, ORCHID, benchmarking …
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: carries an IPv4 address of the caller's choice
  ['2620:4f:8000::', 48], // AS112
  ['3ffe::', 16], // 6bone, given back
  ['3fff::', 20], // documentation
]

/**
 * All of IPv6 outside 2000::/3: loopback, unspecified, NAT64, discard, unique local, link-local, multicast, and what was
 * never given out. `::ffff:0:0/96` is left open between the first two, because a BlockList applies a rule on it to all
 * of IPv4; `judgeAddress` refuses it by itself, and the BlockList judges such an address as the IPv4 one that it holds.
 */
export const specialSpansV6: readonly (readonly [first: string, last: string])[] = [
  ['::', '::fffe:ffff:ffff'],
  ['::1:0:0:0', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
]

/** Which addresses may be dialled: public ones only, loopback only (plain http), or any (a host the operator allows). */
export type AddressScope = 'public' | 'loopback' | 'any'

const publicFence = (): BlockList => {
  const fence = new BlockList()
  for (const [address, prefix] of specialBlocksV4) fence.addSubnet(address, prefix, 'ipv4')
  for (const [address, prefix] of specialBlocksV6) fence.addSubnet(address, prefix, 'ipv6')
  for (const [first, last] of specialSpansV6) fence.addRange(first, last, 'ipv6')
  return fence
}

const loopbackFence = (): BlockList => {
  const fence = new BlockList()
  fence.addRange('0.0.0.0', '126.255.255.255', 'ipv4')
  fence.addRange('128.0.0.0', '255.255.255.255', 'ipv4')
  fence.addAddress('::', 'ipv6')
  fence.addRange('::2', '::fffe:ffff:ffff', 'ipv6')
  fence.addRange('::1:0:0:0', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ipv6')
  return fence
}

/** What `net.connect` is given as `blockList`: it judges each address in the moment of dialling it. */
export const fences: Readonly<Record<AddressScope, BlockList>> = {
  public: publicFence(),
  loopback: loopbackFence(),
  any: new BlockList(),
}

const mapped = new BlockList()
mapped.addSubnet('::ffff:0:0', 96, 'ipv6')

/** Whether `address` (an IP literal without brackets) may be dialled. Pure: nothing is looked up, nothing is dialled. */
export const judgeAddress = (address: string, reach: AddressScope = 'public'): 'allowed' | 'refused' => {
  const family = isIP(address)
  if (family === 0) return 'refused'
  if (reach === 'any') return 'allowed'
  if (family === 4) return fences[reach].check(address, 'ipv4') ? 'refused' : 'allowed'
  // A zone (fe80::1%eth0) exists only on link-local addresses, and a BlockList throws on one.
  if (address.includes('%') || mapped.check(address, 'ipv6')) return 'refused'
  return fences[reach].check(address, 'ipv6') ? 'refused' : 'allowed'
}

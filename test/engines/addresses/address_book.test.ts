import { mkdtempSync, renameSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultDevicePolicy } from '@attestor/rules'
import { applyDevicePolicy, buildMetadata } from '@attestor/rules/testing'
import test from 'ava'
import { signals } from '../../../packages/rules/test/findings_samples.ts'
import { readConfig } from '../../../src/config/settings.ts'
import { openAddressBook, watchAddressFiles } from '../../../src/engines/addresses/address_book.ts'
import { parseAddressList } from '../../../src/engines/addresses/address_ranges.ts'
import { readClientAddress } from '../../../src/http/client_address.ts'
import { startNode } from '../../../src/node/start_node.ts'
import { manualClock } from '../../clock.ts'
import { writeMmdb } from './mmdb.ts'

const folder = mkdtempSync(join(tmpdir(), 'attestor-'))
let written = 0

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  // A file system's clock may stand still between two of our writes.
  utimesSync(path, ++written, written)
  return path
}

const countries = fileOf('a.mmdb', writeMmdb({ '192.0.2.0/24': 'FR', '198.51.100.0/25': 'DE', '2001:db8::/32': 'SE' }))
const vpn = fileOf('vpn.txt', '# ours\n198.51.100.0/26 ; a provider\n\n2001:db8:1::/48\r\n203.0.113.7\n')
const tor = fileOf('tor.txt', '203.0.113.8\n')

test('an address has the country of the database, or none', async t => {
  const { look } = await openAddressBook({ countries, vpn: null, tor: null })
  const found = [
    '192.0.2.77',
    '198.51.100.127',
    '198.51.100.128',
    '2001:db8::7',
    '2001:db9::7',
    '10.0.0.1',
    'fe80::1%eth0',
    'x',
  ]
  t.deepEqual(
    found.map(address => look(address).ip_country),
    ['FR', 'DE', null, 'SE', null, null, null, null],
  )
  const nowhere = fileOf(
    'nowhere.mmdb',
    writeMmdb({ '192.0.2.0/25': 'ZZ', '192.0.2.128/25': 'EU', '2001:db8::/32': 'xk' }),
  )
  const other = await openAddressBook({ countries: nowhere, vpn: null, tor: null })
  t.deepEqual(
    ['192.0.2.1', '192.0.2.200', '2001:db8::1'].map(address => other.look(address).ip_country),
    [null, null, 'XK'],
    'words for nowhere are no country',
  )
  t.like(look(null), { ip_address: null, ip_country: null })
  t.like(look('192.0.2.1'), { vpn_listed: null, tor_listed: null })
})

test('a database or list that is missing or damaged stops the start, and its setting is named', async t => {
  const whole = writeMmdb({ '192.0.2.0/24': 'FR' })
  const files = {
    IP_COUNTRY_DATABASE: [
      join(folder, 'none.mmdb'),
      fileOf('bad.mmdb', 'no database'),
      fileOf('cut.mmdb', whole.subarray(0, 400)),
    ],
    VPN_ADDRESSES_FILE: [join(folder, 'none.txt'), fileOf('bad.txt', '192.0.2.1\n192.0.2.0/33\n')],
    TOR_ADDRESSES_FILE: [fileOf('odd.txt', 'example.com\n')],
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  for (const [name, paths] of Object.entries(files))
    for (const path of paths) {
      const config = readConfig({ PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'x.sqlite')}`, [name]: path })
      const error = await t.throwsAsync(startNode({ config, clock: manualClock(), log }))
      t.is(error?.name, 'ConfigError')
      t.true(error?.message.startsWith(`${name}: `), error?.message)
    }
})

const bad = { IP_COUNTRY_DATABASE: false, VPN_ADDRESSES_FILE: false }

test('a changed file is read again, and a damaged one leaves the last version in use', async t => {
  const database = fileOf('live.mmdb', writeMmdb({ '192.0.2.0/24': 'FR' }))
  const list = fileOf('live.txt', '192.0.2.1\n')
  const lines: string[] = []
  const write = (fields: Record<string, unknown>) => void lines.push(String(fields.setting ?? fields.error))
  const book = await openAddressBook(
    { countries: database, vpn: list, tor: null },
    { debug: write, info: write, warn: write, error: write },
  )
  const clock = manualClock()
  const refreshes: Promise<void>[] = []
  const refresh = (): Promise<void> => refreshes[refreshes.push(book.refresh()) - 1] ?? Promise.resolve()
  const { stop } = watchAddressFiles({ ...book, refresh }, clock, 60_000)
  const turn = (ms: number) => clock.advance(ms, async () => void (await Promise.all(refreshes)))
  const seen = () => [book.look('192.0.2.1').ip_country, book.look('192.0.2.1').vpn_listed]
  t.deepEqual([seen(), book.current()], [['FR', true], { IP_COUNTRY_DATABASE: true, VPN_ADDRESSES_FILE: true }])
  await turn(60_000)
  t.deepEqual([refreshes.length, lines], [1, []], 'what has not changed is not read')
  fileOf('live.mmdb', writeMmdb({ '192.0.2.0/24': 'DE' }))
  renameSync(fileOf('next.txt', '192.0.2.2\n'), list)
  await turn(59_999)
  t.deepEqual(seen(), ['FR', true])
  await turn(1)
  t.deepEqual(
    [seen(), lines.splice(0)],
    [
      ['DE', false],
      ['IP_COUNTRY_DATABASE', 'VPN_ADDRESSES_FILE'],
    ],
  )
  for (const [content, addresses] of [
    ['no database', '192.0.2.0/33\n'],
    [writeMmdb({ '192.0.2.0/24': 'IT' }).subarray(0, 400), '\n'],
  ] as const) {
    fileOf('live.mmdb', Buffer.from(content))
    fileOf('live.txt', addresses)
    await turn(120_000)
    t.deepEqual([seen(), book.current()], [['DE', false], bad])
    t.regex(lines.splice(0).join('\n'), /^IP_COUNTRY_DATABASE: cannot.*\nVPN_ADDRESSES_FILE: cannot[^\n]*$/, 'once')
  }
  unlinkSync(list)
  fileOf('live.mmdb', writeMmdb({ '192.0.2.0/24': 'IT' }))
  await turn(60_000)
  t.deepEqual([seen(), book.current()], [['IT', false], { ...bad, IP_COUNTRY_DATABASE: true }])
  fileOf('live.txt', '192.0.2.0/24\n')
  await turn(60_000)
  t.deepEqual([seen(), book.current()], [['IT', true], { IP_COUNTRY_DATABASE: true, VPN_ADDRESSES_FILE: true }])
  stop()
  await turn(600_000)
  t.is(refreshes.length, 8)
})

test('a list holds its addresses and blocks, and no others', t => {
  const isListed = parseAddressList('192.0.2.7\n198.51.100.64/26\n2001:db8::/47#both\n2001:DB8:ffff::1\n;nothing\n')
  const held = [
    '192.0.2.7',
    '198.51.100.64',
    '198.51.100.127',
    '2001:db8::',
    '2001:db8:1:ffff::9',
    '2001:db8:ffff:0::1',
  ]
  const others = [
    '192.0.2.8',
    '198.51.100.63',
    '198.51.100.128',
    '2001:db8:2::',
    '2001:db8:ffff::2',
    'fe80::1%eth0',
    '',
    'x',
  ]
  t.deepEqual([...held, ...others].filter(isListed), held)
  for (const odd of ['x', '192.0.2.1/33', '2001:db8::/129', '192.0.2.0/', '192.0.2.0/8/8', '192.0.2.0/-1', '1.2.3.4.5'])
    t.throws(() => parseAddressList(`\n${odd}`), { message: /^line 2 / }, odd)
})

test('the lists and the device together say whether there is a VPN, a proxy or Tor', async t => {
  const { look } = await openAddressBook({ countries, vpn, tor })
  const codes = (address: string, network: object | null): string[] => {
    const metadata = buildMetadata({ ...signals, network, geolocation: signals.geolocation }, look(address))
    return applyDevicePolicy({ metadata, reported: {}, permission: 'granted' }, defaultDevicePolicy).flatMap(
      ({ issues }) => issues.map(({ code }) => code),
    )
  }
  for (const listed of ['198.51.100.1', '2001:db8:1::5', '203.0.113.7', '203.0.113.8'])
    t.true(codes(listed, null).includes('VPN_OR_PROXY_DETECTED'), listed)
  const clear = { vpn_detected: false, proxy_detected: false }
  t.deepEqual(codes('192.0.2.1', clear), [], 'the list of Tor exits answers where the device is silent')
  for (const silent of [null, {}, { vpn_detected: false }, { proxy_detected: false }])
    t.deepEqual(codes('192.0.2.1', silent), ['VPN_OR_PROXY_NOT_EVALUABLE'], 'no list of VPNs is whole')
  t.deepEqual(codes('192.0.2.1', { vpn_detected: true }), ['VPN_OR_PROXY_DETECTED'])
  t.deepEqual(codes('198.51.100.100', clear), ['GEO_IP_MISMATCH'], 'in Paris with an address in Germany')
  const network = (address: string) => buildMetadata({ ...signals, network: null }, look(address)).network
  t.like(network('2001:db8:1::5'), { ip_type: 'IPv6', ip_country: 'SE', vpn_detected: true, proxy_detected: null })
  t.like(network('192.0.2.1'), { ip_type: 'IPv4', vpn_detected: null, proxy_detected: null, tor_detected: false })
  t.deepEqual(
    Object.keys(network('192.0.2.1')).filter(key => key.includes('listed')),
    [],
  )
})

test('X-Forwarded-For is believed only as far as trusted proxies wrote it, with ports and brackets', t => {
  const seen = (forwarded: string, hops: number): string => {
    const request = { headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: '::ffff:10.0.0.9' } }
    return readClientAddress(request as unknown as IncomingMessage, hops)
  }
  t.is(seen('203.0.113.1', 0), '10.0.0.9')
  t.is(seen('6.6.6.6, 203.0.113.1', 1), '203.0.113.1', 'what the caller made up stands further left')
  t.is(seen('6.6.6.6, 203.0.113.1, 10.0.0.2', 2), '203.0.113.1')
  t.is(seen('203.0.113.1:5123', 1), '203.0.113.1')
  t.is(seen('[2001:db8::1]:443', 1), '2001:db8::1')
  t.is(seen('2001:db8::1', 1), '2001:db8::1')
  t.is(seen('unknown', 1), '10.0.0.9')
})

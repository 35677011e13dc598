import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { isIP, type LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import fc from 'fast-check'
import { rounds } from '../../../test/tier.ts'
import { startReceiver } from '../../../test/webhooks/receiver.ts'
import { judgeAddress, specialBlocksV4, specialBlocksV6 } from '../addresses.ts'
import { checkDestination } from '../destination.ts'
import { createGuard, selfTestGuard } from '../guard.ts'
import {
  anyV4,
  carriers,
  dotted,
  specialV4,
  specialV6,
  spellings,
  v4Bytes,
  v4Number,
  v6Number,
  v6Text,
  within,
} from './special_addresses.ts'

const rule = 'must not name a private, loopback or otherwise special address'

test('every IPv4 address of every special block is refused, as an address and in each spelling of a URL', t => {
  const all = specialV4.chain(value => fc.tuple(fc.constant(value), spellings(value)))
  fc.assert(
    fc.property(all, ([value, spelled]) => {
      t.is(judgeAddress(dotted(value)), 'blocked', dotted(value))
      t.is(checkDestination(`https://${spelled}/hook`), rule, spelled)
      t.is(checkDestination(`https://${spelled}:8443/hook?x=1`), rule, spelled)
    }),
    { numRuns: rounds(250, 5000), seed: 2026 },
  )
})

test('every IPv6 address of every special block and span is refused, compressed or not', t => {
  fc.assert(
    fc.property(specialV6, value => {
      const text = v6Text(value)
      t.is(judgeAddress(text), 'blocked', text)
      t.is(checkDestination(`https://[${text}]/`), rule, text)
      t.is(judgeAddress(new URL(`https://[${text}]/`).hostname.slice(1, -1)), 'blocked', text)
    }),
    { numRuns: rounds(250, 5000), seed: 2026 },
  )
})

test('an IPv6 address that carries an IPv4 one is refused, for every IPv4 address', t => {
  fc.assert(
    fc.property(fc.oneof(anyV4, specialV4), fc.constantFrom(...carriers), (value, carry) => {
      t.is(judgeAddress(carry(value)), 'blocked', carry(value))
      t.is(checkDestination(`https://[${carry(value)}]/`), rule, carry(value))
    }),
    { numRuns: rounds(200, 5000), seed: 2026 },
  )
})

test('an address that NAT64 carries is judged as it is without, and a network’s own prefix is refused', t => {
  fc.assert(
    fc.property(fc.oneof(anyV4, specialV4), value => {
      const plain = judgeAddress(dotted(value))
      for (const carried of [
        `64:ff9b::${dotted(value)}`,
        `64:ff9b::${v4Bytes(value)
          .slice(0, 2)
          .map(byte => byte.toString(16).padStart(2, '0'))
          .join('')}:${v4Bytes(value)
          .slice(2)
          .map(byte => byte.toString(16).padStart(2, '0'))
          .join('')}`,
      ]) {
        t.is(judgeAddress(carried), plain, carried)
        t.is(checkDestination(`https://[${carried}]/`), plain === 'allowed' ? null : rule, carried)
        t.is(judgeAddress(carried, 'loopback'), 'blocked')
      }
    }),
    { numRuns: rounds(200, 5000), seed: 2026 },
  )
  for (const beside of [
    '64:ff9a:ffff:ffff:ffff:ffff:5db8:d70e',
    '64:ff9b::1:5db8:d70e',
    '64:ff9b:1::5db8:d70e',
    '64:ff9c::5db8:d70e',
  ])
    t.is(judgeAddress(beside), 'blocked', beside)
})

test('a cloud’s metadata address is refused, in every spelling, and as a name', async t => {
  // AWS (and most others), its containers and pods, Tencent, Alibaba, Oracle, Azure, Equinix Metal; IPv6 of AWS, its
  // pods, Google, Oracle, OpenStack.
  const v4 = ['169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.0.23', '100.100.100.200', '192.0.0.192']
  const v6 = ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fe80::a9fe:a9fe']
  const all = [...v4, '168.63.129.16', '192.80.8.124'].map(v4Number)
  fc.assert(
    fc.property(fc.constantFrom(...all), fc.constantFrom(...carriers), (value, carry) => {
      t.is(judgeAddress(dotted(value)), 'blocked', dotted(value))
      t.is(judgeAddress(carry(value)), 'blocked', carry(value))
    }),
  )
  for (const address of v6) t.is(judgeAddress(address), 'blocked', address)
  for (const spelled of ['168.63.129.16.', '0xa8.63.129.16', '2822734096', '0250.077.0201.020', '168.63.33040'])
    t.is(checkDestination(`https://${spelled}/machine`), rule, spelled)
  const lookup: LookupFunction = (_name, _options, callback) =>
    callback(null, [{ address: '168.63.129.16', family: 4 }])
  const dialling = createGuard({ lookup }).dial(new URL('https://receiver.example/'), new AbortController().signal)
  await t.throwsAsync(dialling, { name: 'DestinationError' })
})

test('every other address is judged allowed, and none of them is dialled to find out', t => {
  const isSpecialV4 = (value: number): boolean =>
    specialBlocksV4.some(([address, prefix]) => {
      const first = v4Number(address)
      return value >= first && value < first + 2 ** (32 - prefix)
    })
  const beside = fc.constantFrom(...specialBlocksV4).chain(([address, prefix]) => {
    const first = v4Number(address)
    return fc.constantFrom(first - 1, first + 2 ** (32 - prefix)).filter(n => n >= 0 && n < 2 ** 32)
  })
  const ordinary = fc.oneof(anyV4, beside).filter(value => !isSpecialV4(value))
  fc.assert(
    fc.property(ordinary, value => {
      t.is(judgeAddress(dotted(value)), 'allowed', dotted(value))
      t.is(checkDestination(`https://${dotted(value)}/`), null, dotted(value))
    }),
    { numRuns: rounds(250, 5000), seed: 2026 },
  )
  const unicast = within(v6Number('2000::'), v6Number('3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')).filter(
    value =>
      !specialBlocksV6.some(([address, prefix]) => {
        const shift = BigInt(128 - prefix)
        return value >> shift === v6Number(address) >> shift
      }),
  )
  fc.assert(
    fc.property(unicast, value => {
      t.is(judgeAddress(v6Text(value)), 'allowed', v6Text(value))
    }),
    { numRuns: rounds(250, 5000), seed: 2026 },
  )
})

test('plain http reaches loopback and nothing else', t => {
  fc.assert(
    fc.property(anyV4, value => {
      t.is(judgeAddress(dotted(value), 'loopback'), v4Bytes(value)[0] === 127 ? 'allowed' : 'blocked')
    }),
    { numRuns: 500, seed: 2026 },
  )
  for (const address of ['127.0.0.1', '127.255.255.254', '::1']) t.is(judgeAddress(address, 'loopback'), 'allowed')
  for (const address of [
    '126.255.255.255',
    '128.0.0.0',
    '::',
    '::2',
    'fe80::1',
    'fe80::1%lo',
    '::ffff:127.0.0.1',
    'x',
  ]) {
    t.is(judgeAddress(address, 'loopback'), 'blocked', address)
  }
})

test('a host that no name server can be asked for, and a port that is none, are refused', t => {
  const hosts = ['.', '.example.com', 'example.com..', '127.0.0.1..', 'example.com:0']
  for (const host of [...hosts, `${'a'.repeat(64)}.example`, `${'a.'.repeat(127)}example`])
    t.is(checkDestination(`https://${host}/`), 'must be an https URL', host)
  t.is(checkDestination('https://no_such-label.example/'), null)
})

test('a webhook URL is accepted or refused with the rule that it breaks', t => {
  const https = 'must be an https URL'
  const user = 'must not contain a user name or password'
  const cases: [url: string, rule: string | null][] = [
    ['https://example.com/hook', null],
    ['HTTPS://EXAMPLE.COM', null],
    ['https://example.com.:8443/a?b=c#d', null],
    ['https://bücher.example/', null],
    ['https://1.1.1.1/', null],
    ['https://[2606:4700::1111]/', null],
    ['https://127.example.com/', null],
    ['http://example.com/', https],
    ['ftp://example.com/', https],
    ['javascript:alert(1)', https],
    ['//example.com/', https],
    ['example.com', https],
    ['', https],
    ['https:', https],
    ['https://', https],
    ['https:example.com', https],
    ['https:\\\\example.com', https],
    ['https://exa mple.com/', https],
    [' https://example.com/', https],
    ['https://example.com/\n', https],
    ['https://exam\tple.com/', https],
    ['https://example.com\\@127.0.0.1/', https],
    ['https://example.com:99999/', https],
    ['https://[fe80::1%25eth0]/', https],
    ['https://256.0.0.1/', https],
    ['https://user:secret@example.com/', user],
    ['https://@example.com/', user],
    ['https://:@127.0.0.1/', user],
    ['https://localhost/', rule],
    ['https://LOCALHOST.:8443/', rule],
    ['https://a.localhost/', rule],
    ['https://127.1/', rule],
    ['https://2130706433/', rule],
    ['https://0x7f.0.0.1/', rule],
    ['https://0177.0.0.01/', rule],
    ['https://127.0.0.1./', rule],
    ['https://１２７。0。0。1/', rule],
    ['https://%31%32%37.0.0.1/', rule],
    ['https://0/', rule],
    ['https://[::]/', rule],
    ['https://[::ffff:127.0.0.1]/', rule],
    [`https://example.com/${'a'.repeat(2048 - 20)}`, null],
    [`https://example.com/${'a'.repeat(2049 - 20)}`, 'must be at most 2048 characters'],
  ]
  for (const [url, expected] of cases) t.is(checkDestination(url), expected, url)
})

test('the allow list opens the named host, on the named port, and http only to loopback', t => {
  const allow = ['127.0.0.1:8443', 'receiver.internal', 'LOCALHOST', '[::1]:9443', '10.0.0.5', 'fd00::1']
  const open = [
    'https://127.0.0.1:8443/',
    'http://127.0.0.1:8443/',
    'https://127.1:8443/',
    'https://receiver.internal:1/',
  ]
  const more = [
    'http://localhost:3000/',
    'https://[::1]:9443/',
    'http://[0:0::1]:9443/',
    'https://10.0.0.5/',
    'https://[fd00::1]/',
  ]
  for (const url of [...open, ...more]) t.is(checkDestination(url, allow), null, url)
  t.is(checkDestination('https://127.0.0.1/', allow), rule)
  t.is(checkDestination('https://127.0.0.1:8444/', allow), rule)
  t.is(checkDestination('https://[::1]/', allow), rule)
  t.is(checkDestination('https://10.0.0.50/', allow), rule)
  t.is(checkDestination('http://10.0.0.5/', allow), 'must be an https URL')
  t.is(checkDestination('http://receiver.internal/', allow), 'must be an https URL')
  t.is(checkDestination('https://u@127.0.0.1:8443/', allow), 'must not contain a user name or password')
})

function answering(...answers: string[][]): LookupFunction {
  return (_name, options, callback) => {
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? []
    const all = addresses.map(address => ({ address, family: isIP(address) }))
    const [first] = all
    if (options.all || first === undefined) return callback(null, all)
    callback(null, first.address, first.family)
  }
}

const signal = new AbortController().signal

test('loopback is refused at the dial as a literal and behind a name, at the first answer and at a later one', async t => {
  const receiver = await startReceiver((_request, response) => response.end())
  const { port } = receiver
  const literal = createGuard()
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
    await t.throwsAsync(literal.dial(new URL(`https://${host}:${port}/`), signal), { code: 'DESTINATION_REFUSED' })
  }
  const url = new URL(`https://receiver.example:${port}/`)
  for (const addresses of [
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['169.254.169.254', '10.0.0.1', '127.0.0.1'],
  ]) {
    const guard = createGuard({ lookup: answering(addresses) })
    // Refused by our own table, before the socket's fence is asked.
    const message = 'the name resolves to no address that may be called'
    await t.throwsAsync(guard.dial(url, signal), { code: 'DESTINATION_REFUSED', message }, addresses.join())
  }
  // Rebinding: the operator's own look-up said loopback was fine for this name; the rule is asked again at each dial.
  const rebinding = createGuard({ lookup: answering(['10.1.2.3'], ['127.0.0.1']) })
  await t.throwsAsync(rebinding.dial(url, signal), { code: 'DESTINATION_REFUSED' })
  await t.throwsAsync(rebinding.dial(url, signal), { code: 'DESTINATION_REFUSED' })
  t.is(receiver.connections(), 0)
  await receiver.close()
})

test('an allowed name reaches loopback at the dial, and allowed plain http reaches nothing else', async t => {
  const receiver = await startReceiver((_request, response) => response.end())
  const { port } = receiver
  const lookup = answering(['127.0.0.1'])
  const allowed = createGuard({ allow: [`localhost:${port}`, `receiver.localhost:${port}`], lookup })
  for (const host of ['localhost', 'receiver.localhost']) {
    const { socket, address } = await allowed.dial(new URL(`http://${host}:${port}/`), signal)
    t.is(address, '127.0.0.1')
    socket.destroy()
  }
  await t.throwsAsync(allowed.dial(new URL(`https://other.example:${port}/`), signal), { code: 'DESTINATION_REFUSED' })
  const away = createGuard({ allow: ['localhost'], lookup: answering(['192.0.2.1', '10.0.0.1']) })
  await t.throwsAsync(away.dial(new URL(`http://localhost:${port}/`), signal), { code: 'DESTINATION_REFUSED' })
  await receiver.close()
})

test('a name that cannot be resolved keeps its own error', async t => {
  const lookup: LookupFunction = (_name, _options, callback) =>
    callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), '')
  await t.throwsAsync(createGuard({ lookup }).dial(new URL('https://receiver.example/'), signal), { code: 'ENOTFOUND' })
})

test('the self-test passes on this runtime, whose own fence is seen to refuse literals and names', async t => {
  await t.notThrowsAsync(selfTestGuard())
})

test('a node does not start on a runtime that does not refuse special addresses', async t => {
  const within = mkdtempSync(join(tmpdir(), 'attestor-test-'))
  t.teardown(() => rmSync(within, { recursive: true, force: true }))
  const broken = `import { BlockList } from 'node:net'; BlockList.prototype.check = () => false`
  const main = join(import.meta.dirname, '../../../src/main.ts')
  const env = { PATH: process.env.PATH, PORT: '0', DATABASE_URL: `sqlite:${join(within, 'x.sqlite')}` }
  const started = promisify(execFile)(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(broken)}`, main],
    { env, timeout: 200_000 },
  )
  const failure = await t.throwsAsync(started)
  const { code, stdout, stderr } = failure as unknown as { code: number; stdout: string; stderr: string }
  t.is(code, 1)
  t.regex(stdout + stderr, /webhook guard: this runtime misjudges/)
  t.notRegex(stdout, /"msg":"ready"/)
})

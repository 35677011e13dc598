import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { callTo } from '../calls.ts'
import { oneDialect } from '../database.ts'
import { inLongTier } from '../tier.ts'
import { canaryIp, readableColumns, verifyCanary } from './canaries.ts'
import { type Client, openTransaction, phoneOf, requestToken } from './client.ts'
import { openHook } from './hook.ts'
import { attestor, startChild, startProgram, urlOf } from './programs.ts'

const key = Buffer.alloc(32, 9).toString('base64')

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'attestor-process-'))
}

inLongTier(test)('A setting that is unknown or malformed stops the start with a message that names it', async t => {
  const wrong: readonly [environment: Record<string, string>, message: RegExp][] = [
    [{ PORT: 'eighty' }, /^attestor: PORT: must be a whole number/],
    [{ WEBHOOK_SCHEDUEL_SECONDS: '0' }, /^attestor: WEBHOOK_SCHEDUEL_SECONDS: unknown setting; did you mean/],
    [{ WEBHOOK_ALLOW_HOSTS: 'http://127.0.0.1:8080' }, /^attestor: WEBHOOK_ALLOW_HOSTS: must be of host or host:port/],
    [{ MASTER_KEY: 'short' }, /^attestor: MASTER_KEY: must be 32 bytes in base64/],
    [{ DATABASE_URL: 'mysql://root@127.0.0.1:3306/attestor' }, /^attestor: MASTER_KEY: is required/],
  ]
  await Promise.all(
    wrong.map(async ([environment, message]) => {
      const program = startProgram({ PORT: '0', DATABASE_URL: 'sqlite:/nonexistent/never/made.sqlite', ...environment })
      t.is(await program.ended, 1)
      t.regex(program.stderr(), message)
      t.notRegex(program.stderr(), /\n\s+at /, 'a setting needs no stack trace')
      t.deepEqual(program.lines, [])
    }),
  )
})

inLongTier(test)('All settings that are wrong are reported at once, a line each', async t => {
  const program = startProgram({
    PORT: 'eighty',
    HOST: '-',
    LEASE_SECONDS: '1',
    WEBHOOK_ALOW_HOSTS: 'a',
    POLL_MS: '50',
  })
  t.is(await program.ended, 1)
  const reported = program.stderr().trim().split('\n')
  t.deepEqual(reported.map(line => line.replace(/^attestor: (\w+): .*/, '$1')).sort(), [
    'HOST',
    'LEASE_SECONDS',
    'PORT',
    'WEBHOOK_ALOW_HOSTS',
  ])
})

inLongTier(test)(
  'An address that can’t be listened on stops the start with a message that names the settings',
  async t => {
    const within = folder()
    t.teardown(() => rmSync(within, { recursive: true, force: true }))
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    t.teardown(() => taken.close())
    const { port } = taken.address() as AddressInfo
    const environment = { PORT: String(port), DATABASE_URL: `sqlite:${join(within, 'new.sqlite')}` }
    const program = startProgram(environment)
    t.is(await program.ended, 1)
    t.regex(program.stderr(), /^attestor: HOST, PORT: cannot listen there: .*EADDRINUSE/)
    t.notRegex(program.stderr(), /\n\s+at /)
  },
)

test('npm start makes its database and key, says its port, serves, and ends with 0 during a long poll', async t => {
  const within = folder()
  t.teardown(() => rmSync(within, { recursive: true, force: true }))
  const environment = { PORT: '0', DATABASE_URL: `sqlite:${join(within, 'data', 'new.sqlite')}` }
  const program = startProgram(environment)
  t.teardown(() => program.child.kill('SIGKILL'))
  const url = await program.listening()
  t.regex(url, /^http:\/\/127\.0\.0\.1:[1-9]\d+$/)
  const call = callTo(() => url)
  t.is((await call('GET', '/healthz')).status, 200)
  const early = await call('GET', '/readyz')
  t.is(early.status, 503)
  t.regex(early.text, /the (node|analysis engine|check of photos) is starting/)
  t.is(await program.ready(), url)
  t.is((await call('GET', '/readyz')).status, 200)
  const maps = readFileSync(`/proc/${program.child.pid}/maps`, 'utf8')
  t.deepEqual([/better.sqlite3/.test(maps), /libvips|sharp/.test(maps)], [true, false], 'decoders are the children’s')
  const made = await attestor(['account', 'create', '--name', 'Acme', '--json'], environment)
  t.is(made.code, 0, made.stderr)
  t.is(made.stdout.trim().split('\n').length, 1)
  const account = JSON.parse(made.stdout) as Client
  t.deepEqual(Object.keys(account), ['account_id', 'client_id', 'client_secret'])

  const { sdk_token } = await openTransaction(call, await requestToken(call, account))
  const phone = phoneOf(call, sdk_token)
  await phone.start()
  const poll = phone.result('2').catch(() => null)
  await call('GET', '/healthz')
  program.child.kill('SIGTERM')
  t.is(await program.ended, 0, program.stderr())
  await poll
  for (const line of program.lines) t.notThrows(() => JSON.parse(line), line)
  t.true(program.lines.some(line => line.includes('"message":"stopped"')))
})

for (const engine of oneDialect) {
  if (engine.name === 'MariaDB')
    test('On MariaDB a database without a schema is refused with the command that makes it, which then works', async t => {
      const database = await engine.empty()
      t.teardown(database.drop)
      const environment = { PORT: '0', DATABASE_URL: urlOf(database), MASTER_KEY: key }
      const refused = startProgram(environment)
      t.is(await refused.ended, 1)
      t.regex(refused.stderr(), /^attestor: DATABASE_URL: .*npm run migrate/)
      const command = await attestor(['account', 'list'], environment)
      t.is(command.stderr, 'DATABASE_URL: the database is empty: run `npm run migrate`\n')
      t.is((await attestor(['migrate'], environment)).code, 0)
      const program = startProgram(environment)
      t.teardown(() => program.child.kill('SIGKILL'))
      await program.ready()
      program.child.kill('SIGTERM')
      t.is(await program.ended, 0)
    })

  inLongTier(test)(
    `On ${engine.name} no token, secret or personal datum is in the log, an error, the evidence, the webhooks or a readable column`,
    async t => {
      const within = folder()
      const database = await engine.fresh()
      let url = ''
      const hook = await openHook({ jwks_url: () => `${url}/.well-known/jwks.json`, now: () => Date.now() })
      t.teardown(async () => {
        await hook.close()
        rmSync(within, { recursive: true, force: true })
        await database.drop()
      })
      const caFile = join(within, 'ca.pem')
      writeFileSync(caFile, hook.ca)
      const environment = {
        PORT: '0',
        DATABASE_URL: urlOf(database),
        MASTER_KEY: key,
        LOG_LEVEL: 'debug',
        WEBHOOK_ALLOW_HOSTS: hook.host,
        WEBHOOK_CA_FILE: caFile,
        ANALYSIS_BACKOFF_SECONDS: '0',
        TRUSTED_PROXY_HOPS: '1',
      }
      const { stdout } = await attestor(['account', 'create', '--name', 'Acme', '--json'], environment)
      const program = startChild(environment, 0)
      t.teardown(() => program.child.kill('SIGKILL'))
      url = await program.ready()
      const { secrets, result, responses } = await verifyCanary(url, hook, JSON.parse(stdout) as Record<string, string>)
      // Time is real here: a delivery that is answered too late is sent again.
      t.true(hook.received.every(({ refused }) => refused === null))
      t.is(new Set(hook.received.map(({ body }) => body.event_id)).size, 4)
      for (const known of ['ERIKSSON', 'L898902C3', canaryIp, 'Phone 9', '52.5170366'])
        t.true(result.includes(known), known)
      program.child.kill('SIGTERM')
      t.is(await program.ended, 0, program.stderr())
      for (const line of program.lines) t.notThrows(() => JSON.parse(line), line)

      const places: Readonly<Record<string, string>> = {
        log: program.lines.join('\n'),
        stderr: program.stderr(),
        webhooks: JSON.stringify(hook.received),
        ...(await readableColumns(database)),
        ...responses,
      }
      t.true((places.journal ?? '').includes('FRONT_CAPTURED'))
      for (const [place, found] of Object.entries(places))
        for (const [name, canary] of Object.entries({ ...secrets, key }))
          t.false(found.includes(canary), `${name} in ${place}`)
    },
  )
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import {
  type Environment,
  readConfig,
  readDatabaseAddress,
  secretSettings,
  settings,
} from '../../src/config/settings.ts'

function problemsOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}

test('an empty value of any setting is as good as none', t => {
  const empty = Object.fromEntries(Object.keys(settings).map(name => [name, '']))
  const emptyFiles = Object.fromEntries(secretSettings.map(name => [`${name}_FILE`, '']))
  t.deepEqual(readConfig({ ...empty, ...emptyFiles }), readConfig({}))
  t.is(readConfig({ PORT: '' }).PORT, 3000)
  t.deepEqual(problemsOf({ WEBHOOK_SCHEDUEL_SECONDS: '', ATTESTOR_THING: '' }), [])
})

test('all bad settings are reported at once, with those that contradict each other, and none twice', t => {
  const problems = problemsOf({
    PORT: 'eighty',
    MASTER_KEY: 'short',
    ATTESTOR_THING: 'x',
    LEASE_SECOND: '5',
    ANALYSIS_ENGINE: 'http',
    DATABASE_URL: 'mysql://root@127.0.0.1:3306/attestor',
  })
  t.deepEqual(
    problems.map(line => line.slice(0, line.indexOf(':'))),
    ['ATTESTOR_THING', 'LEASE_SECOND', 'PORT', 'MASTER_KEY', 'ANALYSIS_HTTP_URL', 'ANALYSIS_HTTP_SECRET'],
  )
  t.regex(problems[1] ?? '', /did you mean LEASE_SECONDS\?/)
  t.deepEqual(problemsOf({ DATABASE_URL: 'mysql://root@127.0.0.1:3306/attestor' }).length, 1)
})

test('a database server may have several hosts, which share all but their place', t => {
  const addressOf = (url: string) => readDatabaseAddress({ DATABASE_URL: url })
  const shared = { dialect: 'mysql', user: 'me', password: 'p,a@b', database: 'kyc' }
  t.deepEqual(addressOf('mysql://me:p,a%40b@db1,[::1]:3307,db3:3308/kyc'), {
    ...shared,
    host: 'db1',
    port: 3306,
    standbys: [
      { host: '::1', port: 3307 },
      { host: 'db3', port: 3308 },
    ],
  } as never)
  t.deepEqual(addressOf('mysql://me:p,a@b@db1/kyc'), { ...shared, host: 'db1', port: 3306 } as never)
  for (const wrong of [
    'mysql://me@a,/kyc',
    'mysql://me@,a/kyc',
    'mysql://me@a:x,b/kyc',
    'mysql://me@a,b',
    'mysql://a,b/',
  ])
    t.regex(problemsOf({ DATABASE_URL: wrong }).join(), /^DATABASE_URL: must be sqlite:FILE or mysql:/, wrong)
  t.true(problemsOf({ DATABASE_URL: 'mysql://me@a,b,a:3306/kyc' }).includes('DATABASE_URL: must not name a host twice'))
  for (const wrong of ['sqlite::memory:', 'sqlite:file:x?mode=memory', 'sqlite:file::memory:?cache=shared'])
    t.regex(problemsOf({ DATABASE_URL: wrong }).join(), /^DATABASE_URL: must name a file: /, wrong)
  for (const wrong of [
    'sqlite://',
    'sqlite://x.sqlite',
    'sqlite:~/x.sqlite',
    'sqlite:file:x.sqlite',
    'sqlite: x',
    'sqlite:x ',
  ])
    t.regex(problemsOf({ DATABASE_URL: wrong }).join(), /^DATABASE_URL: must name a file by its path alone/, wrong)
})

test('the variables that Kubernetes sets for its services are no settings, and a mistake that looks like one is reported', t => {
  const injected = (service: string): Environment => ({
    [`${service}_SERVICE_HOST`]: '10.96.0.17',
    [`${service}_SERVICE_PORT`]: '3000',
    [`${service}_SERVICE_PORT_HTTP`]: '3000',
    [`${service}_SERVICE_PORT_METRICS_1`]: '9090',
    [`${service}_PORT`]: 'tcp://10.96.0.17:3000',
    [`${service}_PORT_3000_TCP`]: 'tcp://10.96.0.17:3000',
    [`${service}_PORT_3000_TCP_PROTO`]: 'tcp',
    [`${service}_PORT_3000_TCP_PORT`]: '3000',
    [`${service}_PORT_3000_TCP_ADDR`]: '10.96.0.17',
    [`${service}_PORT_53_UDP`]: 'udp://10.96.0.17:53',
  })
  for (const service of ['ATTESTOR', 'DATABASE', 'WEBHOOK_RECEIVER', 'ANALYSIS', 'METRICS'])
    t.deepEqual(problemsOf(injected(service)), [], service)
  t.deepEqual(problemsOf({ ATTESTOR_PORT: '3000' }), ['ATTESTOR_PORT: unknown setting'])
  t.deepEqual(problemsOf({ WEBHOOK_HOST: 'a' }), ['WEBHOOK_HOST: unknown setting'])
})

test('a secret may come in a file, and its faults name the file’s setting', t => {
  const within = mkdtempSync(join(tmpdir(), 'attestor-config-'))
  t.teardown(() => rmSync(within, { recursive: true, force: true }))
  const fileOf = (name: string, content: string): string => {
    writeFileSync(join(within, name), content)
    return join(within, name)
  }
  const key = Buffer.alloc(32, 3)
  const url = 'mysql://attestor:pass@database:3306/attestor'
  const given = {
    MASTER_KEY_FILE: fileOf('key', `${key.toString('base64')}\n`),
    DATABASE_URL_FILE: fileOf('url', `${url}\n`),
    METRICS_TOKEN_FILE: fileOf('token', 'a-token-of-operators'),
    ANALYSIS_HTTP_SECRET_FILE: fileOf('secret', key.toString('base64')),
    WEBHOOK_PROXY_FILE: fileOf('proxy', 'http://user:pass@proxy:3128'),
    HANDOFF_WEBHOOK_FILE: fileOf('sender', 'https://sender.example/?key=secret'),
    OIDC_CLIENT_SECRET_FILE: fileOf('client', 'a-secret-of-the-client'),
  }
  t.deepEqual(Object.keys(given).sort(), secretSettings.map(name => `${name}_FILE`).sort())
  const config = readConfig({ ...given, OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'attestor' })
  t.is(config.OIDC_CLIENT_SECRET, 'a-secret-of-the-client')
  t.deepEqual(config.MASTER_KEY, key)
  t.deepEqual(config.ANALYSIS_HTTP_SECRET, key)
  t.like(config.DATABASE_URL, { dialect: 'mysql', password: 'pass', host: 'database' })
  t.is(config.METRICS_TOKEN, 'a-token-of-operators')
  t.is(config.WEBHOOK_PROXY?.password, 'pass')
  t.is(config.HANDOFF_WEBHOOK, 'https://sender.example/?key=secret')
  t.deepEqual(readDatabaseAddress(given), config.DATABASE_URL)

  const empty = fileOf('empty', '\n')
  t.deepEqual(problemsOf({ MASTER_KEY_FILE: empty }), [`MASTER_KEY_FILE: ${empty} is empty`])
  t.regex(problemsOf({ MASTER_KEY_FILE: join(within, 'nowhere') }).join(), /^MASTER_KEY_FILE: can't be read: ENOENT/)
  t.deepEqual(problemsOf({ MASTER_KEY_FILE: given.METRICS_TOKEN_FILE }), [
    'MASTER_KEY_FILE: must be 32 bytes in base64',
  ])
  t.deepEqual(problemsOf({ MASTER_KEY_FILE: given.MASTER_KEY_FILE, MASTER_KEY: key.toString('base64') }), [
    'MASTER_KEY_FILE: must not be set beside MASTER_KEY',
  ])
  t.deepEqual(problemsOf({ WEBHOOK_ALGORITHM_FILE: 'x' }), ['WEBHOOK_ALGORITHM_FILE: unknown setting'])
})

test('ROLES takes any of the three, has all by default, and refuses others', t => {
  t.deepEqual(readConfig({}).ROLES, ['api', 'worker', 'analysis'])
  t.deepEqual(readConfig({ ROLES: 'analysis, api' }).ROLES, ['analysis', 'api'])
  for (const ROLES of ['analyses', 'api,analyser', ','])
    t.throws(() => readConfig({ ROLES }), {
      message: /^ROLES: must (be one of|name at least one of) api, worker, analysis$/,
    })
})

test('a scheme of an app has a dot, so that none is the browser’s own', t => {
  const { REDIRECT_SCHEMES } = readConfig({ REDIRECT_SCHEMES: 'com.example.app, org.example.other' })
  t.deepEqual(REDIRECT_SCHEMES, ['com.example.app', 'org.example.other'])
  for (const bad of ['javascript', 'https', 'Com.Example', 'com.example:', 'data.'])
    t.throws(() => readConfig({ REDIRECT_SCHEMES: bad }), { message: /^REDIRECT_SCHEMES: must be of schemes/ }, bad)
})

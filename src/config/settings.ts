import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { falseMatchRates } from '@attestor/vision'
import type { DatabaseAddress } from 'durable-xstate-sql'
import type { MysqlTls } from 'durable-xstate-sql/sql'
import { asError } from '../base/api_error.ts'
import { logFormats, logLevels } from '../base/log.ts'
import { ConfigError, fail, readFilePath, readReadableFile, type Setting, wholeNumber } from '../base/setting.ts'
import { featureSettings, uploadsInWords } from '../features.ts'

function readText(value: string): string {
  return value
}

function oneOf<const T extends string>(values: readonly T[]) {
  return (value: string, name: string): T =>
    values.find(candidate => candidate === value) ?? fail(name, `must be one of ${values.join(', ')}`)
}

function readOnOff(value: string, name: string): boolean {
  return oneOf(['on', 'off'])(value, name) === 'on'
}

function readIssuer(value: string, name: string): URL {
  const url = URL.parse(value)
  if (url === null || !(url.protocol === 'https:' || loopbackUrl.test(value)))
    return fail(name, 'must be an https URL, or an http one on loopback')
  return url
}

const loopbackUrl = /^http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])([:/]|$)/

/** Another system's names of the roles of operators. */
function readRoleNames(value: string, name: string) {
  const [viewer, reviewer, admin, ...more] = splitList(value)
  if (viewer === undefined || reviewer === undefined || admin === undefined || more.length > 0)
    return fail(name, 'must be three names: for viewers, reviewers and admins')
  return { viewer, reviewer, admin } as const
}

function splitList(value: string): readonly string[] {
  return value
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')
}

function someOf<const T extends string>(values: readonly T[]) {
  return (value: string, name: string): readonly T[] => {
    const items = splitList(value).map(item => oneOf(values)(item, name))
    return items.length > 0 ? items : fail(name, `must name at least one of ${values.join(', ')}`)
  }
}

/** `host` or `host:port` each; `packages/outbound/destination.ts` compares them. */
function readDestinations(value: string, name: string): readonly string[] {
  const malformed = splitList(value).find(
    item => isIP(item) === 0 && !/^(\[[\da-f:.]+\]|[^\s:/@?#[\]]+)(:\d{1,5})?$/i.test(item),
  )
  return malformed === undefined ? splitList(value) : fail(name, `must be of host or host:port, not ${malformed}`)
}

/** Origins as browsers send them: scheme, host and port. */
function readOrigins(value: string, name: string): readonly string[] {
  return splitList(value).map(item => {
    const url = parseUrl(item)
    const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackPattern.test(url.hostname))
    // A pattern would match nothing: a browser sends one host.
    return safe && url.origin === item.toLowerCase() && !item.includes('*')
      ? url.origin
      : fail(name, `must be of https origins, such as https://app.example.com, not ${item}`)
  })
}

/** A scheme of an app's own. A dot in it, as RFC 8252 §7.1 has them, leaves out all that a browser would run or show. */
function readSchemes(value: string, name: string): readonly string[] {
  const malformed = splitList(value).find(item => !/^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+$/.test(item))
  return malformed === undefined
    ? splitList(value)
    : fail(name, `must be of schemes with a dot, such as com.example.app, not ${malformed}`)
}

function readSeconds(value: string, name: string): readonly number[] {
  const items = splitList(value).map(item => wholeNumber(0, 864_000)(item, name) * 1000)
  return items[0] === 0 && items.length <= 50
    ? items
    : fail(name, 'must be 1 to 50 whole numbers of seconds, the first 0')
}

function readHost(value: string, name: string): string {
  return isIP(value) > 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value)
    ? value
    : fail(name, 'must be an address or a host name')
}

function parseUrl(value: string): URL | null {
  return URL.canParse(value) ? new URL(value) : null
}

function readBaseUrl(value: string, name: string): string {
  const url = parseUrl(value)
  const usable =
    url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === ''
  return usable ? url.href.replace(/\/+$/, '') : fail(name, 'must be an http or https URL without a query')
}

const mysqlPattern = /^mysql:\/\/(?<user>[^/]*@)?(?<hosts>[^/@]+)(?<name>\/.+)$/

/** The URL of each host; null where one is none. */
function readHosts(value: string): readonly URL[] | null {
  const { user = '', hosts = '', name = '' } = mysqlPattern.exec(value)?.groups ?? {}
  const urls = hosts.split(',').map(host => parseUrl(`mysql://${user}${host}${name}`))
  return urls.every(url => url !== null && url.hostname !== '') ? (urls as readonly URL[]) : null
}

const tlsModes = ['off', 'verify', 'verify-ca'] as const

/** Reads `?tls=verify`. Other parameters would be ignored, and nobody would notice that they have no effect. */
function readTlsParameter(parameters: URLSearchParams, name: string): MysqlTls | null {
  for (const parameter of parameters.keys())
    if (parameter !== 'tls') fail(name, `has an unknown parameter: ${parameter}; the only one is tls`)
  const mode = oneOf(tlsModes)(parameters.get('tls') ?? 'off', `${name}: tls`)
  return mode === 'off' ? null : { caFile: null, certFile: null, keyFile: null, verifiesName: mode === 'verify' }
}

function readDatabase(value: string, name: string): DatabaseAddress {
  if (/^sqlite:.*(:memory:|\?)/.test(value))
    fail(name, 'must name a file: several processes read it, and it outlives them')
  if (/^sqlite:(\/\/(?!\/)|~|file:|\s)|^sqlite:.*\s$/.test(value))
    fail(name, 'must name a file by its path alone: sqlite:data/x.sqlite, or sqlite:/srv/x.sqlite')
  if (value.startsWith('sqlite:') && value.length > 'sqlite:'.length)
    return { dialect: 'sqlite', file: resolve(value.slice('sqlite:'.length)) }
  const urls = readHosts(value)
  const [url] = urls ?? []
  if (urls === null || url === undefined)
    return fail(
      name,
      'must be sqlite:FILE or mysql://USER:PASSWORD@HOST:PORT/NAME; further hosts follow the first after commas',
    )
  const toHost = ({ hostname, port }: URL) => ({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || '3306') })
  const hosts = urls.map(toHost)
  if (new Set(hosts.map(({ host, port }) => `${host} ${port}`)).size < hosts.length)
    fail(name, 'must not name a host twice')
  const tls = readTlsParameter(url.searchParams, name)
  return {
    dialect: 'mysql',
    ...toHost(url),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    ...(hosts.length > 1 && { standbys: hosts.slice(1) }),
    ...(tls && { tls }),
  }
}

type TlsSettings = Pick<
  Config,
  'DATABASE_URL' | 'DATABASE_TLS' | 'DATABASE_TLS_CA' | 'DATABASE_TLS_CERT' | 'DATABASE_TLS_KEY'
>

/** The address with the files of TLS, which are settings of their own. */
function addTls({ DATABASE_URL: address, DATABASE_TLS: mode, ...files }: TlsSettings): DatabaseAddress {
  if (address.dialect === 'sqlite' || (address.tls === undefined && mode === 'off')) return address
  const tls: MysqlTls = {
    caFile: files.DATABASE_TLS_CA,
    certFile: files.DATABASE_TLS_CERT,
    keyFile: files.DATABASE_TLS_KEY,
    verifiesName: address.tls?.verifiesName === true || mode === 'verify',
  }
  const hosts = [address, ...(address.standbys ?? [])].map(({ host }) => host)
  // The driver would hold the certificate against the name localhost.
  if (tls.verifiesName && hosts.some(host => isIP(host) !== 0))
    fail('DATABASE_URL', 'must name its hosts, not their addresses, for TLS to verify them; or use verify-ca')
  return { ...address, tls }
}

/** `database`, which is null, or `s3://BUCKET/PREFIX`. Names of buckets are those that every store takes. */
function readCaptureStore(value: string, name: string): { bucket: string; prefix: string } | null {
  if (value === 'database') return null
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]{0,200}))?$/.exec(value) ?? []
  if (bucket === undefined || prefix.startsWith('/'))
    return fail(
      name,
      'must be database, or s3://BUCKET/PREFIX with the name of a bucket and a prefix of letters, digits and /',
    )
  return { bucket, prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/` }
}

function readMasterKey(value: string, name: string): Buffer {
  const key = Buffer.from(value, 'base64')
  const exact = key.length === 32 && key.toString('base64').replace(/=+$/, '') === value.replace(/=+$/, '')
  return exact ? key : fail(name, 'must be 32 bytes in base64')
}

const engineKinds = ['local', 'http', 'scripted'] as const

const loopbackPattern = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/

/** Images are sent to this URL, so plain HTTP is allowed to this machine only. */
function readServiceUrl(value: string, name: string): string {
  const url = parseUrl(value)
  const safe =
    url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && loopbackPattern.test(url.hostname)))
  return safe && url.hash === '' && url.username === ''
    ? url.href
    : fail(name, 'must be an https URL, or http to a loopback address, without user or fragment')
}

function readProxy(value: string, name: string): URL {
  const url = parseUrl(value)
  const isProxy = url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search + url.hash === ''
  return isProxy ? url : fail(name, 'must be an http or https URL of a host and a port, with a user at most')
}

function readSecretKey(value: string, name: string): Buffer {
  const key = Buffer.from(value, 'base64')
  return key.length >= 32 ? key : fail(name, 'must be at least 32 bytes in base64')
}

function readMetricsToken(value: string, name: string): string {
  return /^[\w.~+/-]{16,200}=*$/.test(value)
    ? value
    : fail(name, 'must be 16 to 200 characters that a bearer token can have')
}

/** Every setting. The documentation's table of settings is generated from it. */
export const settings = {
  HOST: {
    default: '127.0.0.1',
    read: readHost,
    description: 'Address to listen on.',
  },
  PORT: {
    default: '3000',
    read: wholeNumber(0, 65_535),
    description: 'Port to listen on; 0 takes a free one, which the log names.',
  },
  BASE_URL: {
    read: readBaseUrl,
    description: 'The public URL of the service, without a trailing slash, where it differs from `http://HOST:PORT`.',
  },
  DATABASE_URL: {
    is_secret: true,
    default: 'sqlite:data/attestor.sqlite',
    read: readDatabase,
    description:
      '`sqlite:FILE`, or `mysql://USER:PASSWORD@HOST:PORT/NAME` for MariaDB or MySQL; further hosts of a cluster after commas.',
  },
  DATABASE_TLS: {
    default: 'off',
    read: oneOf(tlsModes),
    description:
      'TLS to a database server: `verify` demands a certificate that names its host, `verify-ca` one of a known authority.',
  },
  DATABASE_TLS_CA: {
    read: readReadableFile,
    description: 'PEM file of the authorities that its certificate may come from, instead of Node’s.',
  },
  DATABASE_TLS_CERT: {
    read: readReadableFile,
    description: 'PEM file of this service’s own certificate, where the server asks for one.',
  },
  DATABASE_TLS_KEY: {
    goes_with: 'DATABASE_TLS_CERT',
    read: readReadableFile,
    description: 'PEM file of the key of `DATABASE_TLS_CERT`.',
  },
  DATABASE_CONNECTIONS: {
    default: '10',
    read: wholeNumber(2, 500),
    description: 'Connections to a database server.',
  },
  DATABASE_CACHE_MB: {
    default: '64',
    read: wholeNumber(2, 65_536),
    description: 'Memory for pages of an SQLite file.',
  },
  MASTER_KEY: {
    is_secret: true,
    read: readMasterKey,
    description:
      '32 bytes in base64, which encrypt all other keys. On SQLite one is made where absent; a server requires it.',
  },
  ROLES: {
    default: 'api,worker,analysis',
    read: someOf(['api', 'worker', 'analysis']),
    description:
      'What this node does: answer calls (`api`), run timers and deliveries (`worker`), analyse images (`analysis`). An installation needs all three.',
  },
  LOG_LEVEL: { default: 'info', read: oneOf(logLevels), description: 'The least serious level that is logged.' },
  LOG_FORMAT: {
    default: 'auto',
    read: oneOf(logFormats),
    description: '`json`, `text` for people, or `auto`: text on a terminal only.',
  },
  OIDC_ISSUER: {
    read: readIssuer,
    description:
      'The address of your OpenID Connect provider, by which operators [sign in to the console](console.md#sign-in-by-your-identity-provider); without it they have passwords and codes alone.',
  },
  OIDC_CLIENT_ID: { read: readText, description: 'The console’s client id at that provider.' },
  OIDC_CLIENT_SECRET: { is_secret: true, read: readText, description: 'Its secret there.' },
  OIDC_ROLES_CLAIM: {
    default: 'roles',
    read: readText,
    description: 'The claim that says what an operator may do: a text or a list, in the id token or the user’s data.',
  },
  OIDC_ROLES: {
    default: 'attestor-viewer,attestor-reviewer,attestor-admin',
    read: readRoleNames,
    description:
      'What that claim has for viewers, reviewers and admins, in this order. Without one of them nobody signs in.',
  },
  METRICS_TOKEN: {
    is_secret: true,
    read: readMetricsToken,
    description: 'Bearer token of `GET /metrics`, at least 16 characters; without it there is no such path.',
  },
  TRUSTED_PROXY_HOPS: {
    default: '0',
    read: wholeNumber(0, 10),
    description: 'Proxies in front whose `X-Forwarded-For` is believed; 0 takes the connection’s own address.',
  },
  IP_COUNTRY_DATABASE: {
    read: readText,
    description: 'An address database (`.mmdb`) of yours with the country of each IP address.',
  },
  VPN_ADDRESSES_FILE: {
    read: readText,
    description: 'Your list of addresses of VPNs and proxies: an address or CIDR block a line.',
  },
  TOR_ADDRESSES_FILE: {
    read: readText,
    description: 'Your list of addresses of Tor exits, in the same form.',
  },
  ADDRESS_FILES_SECONDS: {
    default: '60',
    read: wholeNumber(0, 86_400),
    description: 'How often these three files are checked for changes; 0 reads them at the start only.',
  },
  BRANDING: {
    read: readText,
    description: 'JSON file with the name, colours and texts of the capture page.',
  },
  CORS_ORIGINS: {
    default: '',
    read: readOrigins,
    description: 'Origins of pages that may call the device side from a browser, separated by commas.',
  },
  EMBED_ORIGINS: {
    default: '',
    read: readOrigins,
    description: 'Origins whose pages may show the capture page in a frame, separated by commas.',
  },
  REDIRECT_SCHEMES: {
    default: '',
    read: readSchemes,
    description: 'Schemes of apps that `config.redirect_url` may have beside `https`, separated by commas.',
  },
  MAX_CONCURRENT_REQUESTS: {
    default: '400',
    read: wholeNumber(1, 100_000),
    description: 'Calls at work at once on this node; beyond them 503.',
  },
  CONNECTIONS_PER_ADDRESS: {
    default: '256',
    read: wholeNumber(0, 10_000),
    description: 'Connections that one address (an IPv6 network of 64 bits) may hold open; not behind proxies.',
  },
  KEEP_ALIVE_SECONDS: {
    default: '65',
    read: wholeNumber(1, 3600),
    description:
      'How long an idle connection stays open: longer than a load balancer in front keeps it (60 s at AWS, 600 s at Google Cloud).',
  },
  REQUEST_SECONDS: {
    default: '120',
    read: wholeNumber(5, 3600),
    description: 'How long a call may take to arrive: a photo of 10 MiB at 1 Mbit/s takes 84 s.',
  },
  RATE_LIMIT_READS: {
    default: '600',
    read: wholeNumber(0, 1_000_000),
    description: 'Reads a minute of one account.',
  },
  RATE_LIMIT_WRITES: {
    default: '300',
    read: wholeNumber(0, 1_000_000),
    description: 'Writes a minute of one account.',
  },
  RATE_LIMIT_TOKENS: {
    default: '60',
    read: wholeNumber(0, 1_000_000),
    description: 'Access tokens a minute of one client.',
  },
  RATE_LIMIT_TOKEN_FAILURES: {
    default: '20',
    read: wholeNumber(0, 1_000_000),
    description: 'Failed authentications a minute of one client id from one address.',
  },
  RATE_LIMIT_LOGIN_FAILURES: {
    default: '10',
    read: wholeNumber(0, 1_000_000),
    description: 'Failed log-ins to the console a minute from one address.',
  },
  RATE_LIMIT_DEVICE: {
    default: '120',
    read: wholeNumber(0, 1_000_000),
    description: 'Calls a minute of one `sdk_token`.',
  },
  RATE_LIMIT_REJECTED_IMAGES: {
    default: '10',
    read: wholeNumber(0, 1_000_000),
    description: `I${uploadsInWords.slice(1)} a minute of one \`sdk_token\` that are refused, or images that are sent again.`,
  },
  RATE_LIMIT_PAGES: {
    default: '600',
    read: wholeNumber(0, 1_000_000),
    description:
      'Pages a minute that one node sends to one address, or to one IPv6 network of 64 bits; files of pages do not count.',
  },
  DRAIN_SECONDS: {
    default: '20',
    read: wholeNumber(1, 600),
    description: 'How long a stop waits for calls and jobs under way.',
  },
  TRANSACTION_TTL_MINUTES: {
    default: '60',
    read: wholeNumber(1, 1440),
    description: '`transaction_ttl_minutes` where the call names none.',
  },
  SDK_RESULT_MINUTES: {
    default: '15',
    read: wholeNumber(0, 1440),
    description:
      'How long after the decision an `sdk_token` still reads it; in accounts with reviews at least `REVIEW_HOURS`.',
  },
  CAPTURE_FEEDBACK_MS: {
    default: '2000',
    read: wholeNumber(0, 10_000),
    description:
      'How many milliseconds an upload waits for the analysis of its image. 0 analyses all images at the end.',
  },
  CAPTURE_ATTEMPTS: {
    default: '10',
    read: wholeNumber(1, 100),
    description: 'Takes of each capture, retakes included.',
  },
  CAPTURE_MAX_BYTES: {
    default: '10485760',
    read: wholeNumber(1024, 14_000_000),
    description: 'Size of an uploaded image in bytes.',
  },
  CAPTURE_MEMORY_MB: {
    default: '256',
    read: wholeNumber(32, 64_000),
    description:
      'Memory for images and other bodies that are coming in, of one account and of one address at most half; beyond it 503.',
  },
  CAPTURE_STORE: {
    default: 'database',
    read: readCaptureStore,
    description:
      'Where images are kept, encrypted: in the `database`, or at `s3://BUCKET/PREFIX` in [an object store](image-store.md).',
  },
  CAPTURE_STORE_PATH_STYLE: {
    default: 'off',
    read: readOnOff,
    description: 'Whether requests name the bucket in the path, not in the host.',
  },
  CAPTURE_STORE_SECONDS: {
    default: '10',
    read: wholeNumber(1, 120),
    description: 'Time of one attempt, of three, to store or read an image there.',
  },
  RESPONSE_MEMORY_MB: {
    default: '128',
    read: wholeNumber(64, 64_000),
    description: 'Memory for large answers on their way out, of one account at most half; beyond it 503.',
  },
  IMAGE_PROCESSES: {
    default: '2',
    read: wholeNumber(1, 64),
    description: 'Child processes that decode uploaded images.',
  },
  CAPTURE_MAX_MEGAPIXELS: {
    default: '200',
    read: wholeNumber(1, 200),
    description: 'Size of an uploaded image in megapixels.',
  },
  CHALLENGE_ATTEMPTS: {
    default: '5',
    read: wholeNumber(1, 50),
    description: 'Liveness challenges in one transaction.',
  },
  CHALLENGE_SECONDS: {
    default: '120',
    read: wholeNumber(10, 600),
    description: 'Time to answer a liveness challenge.',
  },
  CHALLENGE_ACTIONS: {
    default: '4',
    read: wholeNumber(2, 5),
    description:
      'Actions of a liveness challenge, 2 to 5: both turns of the head; from 3 on a blink or an open mouth; with 4 two of these and a look upwards; with 5 all.',
  },
  ...featureSettings,
  ANALYSIS_ENGINE: {
    default: 'local',
    read: oneOf(engineKinds),
    description:
      'What looks at pixels: `local` models, a service over `http`, or `scripted`, which approves everything and is for tests on a loopback `HOST` only.',
  },
  ANALYSIS_DOCUMENT_ENGINE: {
    read: oneOf(engineKinds),
    description: 'The engine of the document, where it is not `ANALYSIS_ENGINE`.',
  },
  ANALYSIS_LIVENESS_ENGINE: {
    read: oneOf(engineKinds),
    description: 'The engine of liveness, where it is not `ANALYSIS_ENGINE`.',
  },
  ANALYSIS_FACE_ENGINE: {
    read: oneOf(engineKinds),
    description: 'The engine of the face comparison, where it is not `ANALYSIS_ENGINE`.',
  },
  ANALYSIS_HTTP_URL: {
    read: readServiceUrl,
    description: 'Where the `http` engine posts to. Private addresses are allowed; redirects are not followed.',
  },
  ANALYSIS_HTTP_SECRET: {
    is_secret: true,
    read: readSecretKey,
    description: 'At least 32 bytes in base64, which sign every request to that service.',
  },
  ANALYSIS_HTTP_SECONDS: {
    default: '30',
    read: wholeNumber(1, 600),
    description: 'Time of one request to that service.',
  },
  ANALYSIS_HTTP_CONCURRENCY: {
    default: '8',
    read: wholeNumber(1, 1000),
    description: 'Requests to that service at once.',
  },
  ANALYSIS_HTTP_CAPTURES: {
    default: 'off',
    read: readOnOff,
    description: 'Whether that service is also asked about each image as it arrives.',
  },
  ANALYSIS_HTTP_CODES: {
    read: readText,
    description: 'JSON file that maps the codes of that service to issue codes.',
  },
  ANALYSIS_PROCESSES: {
    default: '1',
    read: wholeNumber(1, 64),
    description: 'Analyses at a time, each in a child process that takes a core and about 300 MB.',
  },
  ANALYSIS_SECONDS: {
    default: '60',
    read: wholeNumber(1, 3600),
    description: 'Time of one analysis before its child is ended.',
  },
  VISUAL_ZONE: {
    default: 'on',
    read: readOnOff,
    description:
      'Whether the printed text is read: 0.2 to 1 CPU seconds an analysis, some 60 MB a child. `off` passes no card with portrait and zone on two sides, and no document without zone and barcode.',
  },
  FACE_FALSE_MATCH_RATE: {
    default: '0.001',
    read: oneOf(falseMatchRates),
    description:
      'How often two people may be taken for one, of all pairs; among people alike by origin, age and sex it is [many times as often](../figures.md#who-is-compared). A lower rate leaves more honest people undecided.',
  },
  DOCUMENT_LAYOUTS: {
    read: readFilePath,
    description:
      '[Folder of layouts of your own](layouts.md), beside those of the service: documents without zone and barcode that are read. One with the name of the service’s replaces it.',
  },
  FACE_MODEL: {
    read: readFilePath,
    description:
      '[ONNX file of your own](models.md) that makes templates of faces. Enrolled faces have to be enrolled again.',
  },
  LIVENESS_MODEL: {
    read: readFilePath,
    description: '[ONNX file of your own](models.md#passive-liveness) that judges selfies, beside the challenge.',
  },
  ANALYSIS_MEMORY_MB: {
    default: '1200',
    read: wholeNumber(600, 64_000),
    description: 'Memory of a child before it is ended.',
  },
  ANALYSIS_ATTEMPTS: {
    default: '3',
    read: wholeNumber(1, 20),
    description: 'Failed analyses before the transaction is FAILED.',
  },
  ANALYSIS_BACKOFF_SECONDS: {
    default: '5',
    read: wholeNumber(0, 600),
    description: 'Wait between two analyses of one transaction.',
  },
  ANALYSIS_DEADLINE_SECONDS: {
    default: '300',
    read: wholeNumber(1, 86_400),
    description: 'Time from PROCESSING to a decision, retries included, before the transaction is FAILED.',
  },
  WEBHOOK_SCHEDULE_SECONDS: {
    default: '0,5,30,120,600,1800,7200,18000,36000,50400,72000,86400',
    read: readSeconds,
    description: 'Waits before each attempt of a delivery, ±20 %: 76 hours in all.',
  },
  WEBHOOK_CONCURRENCY: {
    default: '200',
    read: wholeNumber(2, 2000),
    description: 'Deliveries under way at once on this node.',
  },
  WEBHOOK_ORIGIN_CONCURRENCY: {
    default: '20',
    read: wholeNumber(1, 2000),
    description: 'Deliveries under way at once on this node to one origin (scheme, host and port) of an account.',
  },
  WEBHOOK_PAUSE_HOURS: {
    default: '120',
    read: wholeNumber(1, 8760),
    description: 'An origin that had nothing but failures for so long is paused until it is resumed.',
  },
  WEBHOOK_ALGORITHM: {
    default: 'RS256',
    read: oneOf(['RS256', 'ES256', 'EdDSA']),
    description: 'Signature of webhooks: `RS256`, `ES256` or `EdDSA`.',
  },
  WEBHOOK_ALLOW_HOSTS: {
    default: '',
    read: readDestinations,
    description:
      'For development: `host` or `host:port` receivers that may have a private address, or be plain http on loopback.',
  },
  WEBHOOK_CA_FILE: {
    read: readText,
    description: 'PEM file of further authorities to trust for webhook receivers.',
  },
  WEBHOOK_PROXY: {
    is_secret: true,
    read: readProxy,
    description: 'Forward proxy for webhooks, `http://USER:PASSWORD@HOST:PORT` or `https://…`.',
  },
  RETENTION_CAPTURES_DAYS: {
    default: '0',
    read: wholeNumber(0, 36_500),
    description: 'Days after which the images of ended transactions are removed; results stay. 0 keeps them.',
  },
  RETENTION_TRANSACTIONS_DAYS: {
    default: '0',
    read: wholeNumber(0, 36_500),
    description:
      'Days after its opening at which an ended transaction is removed with its result, journal and deliveries. 0 keeps it.',
  },
  RETENTION_AUDIT_DAYS: {
    default: '0',
    read: wholeNumber(0, 36_500),
    description: 'Days after which entries of the audit log are removed. 0 keeps them.',
  },
  LEASE_SECONDS: {
    default: '15',
    read: wholeNumber(2, 600),
    description: 'How long a claimed job is its worker’s without a sign of life.',
  },
  REVIEW_HOURS: {
    default: '72',
    read: wholeNumber(1, 720),
    description:
      'How long a transaction of an account with reviews waits for a reviewer. Then it is FINISHED, and UNDETERMINED.',
  },
  POLL_MS: {
    default: '1000',
    read: wholeNumber(10, 60_000),
    description: 'The longest that due work of another node goes unseen.',
  },
} as const satisfies Record<string, Setting<unknown>>

type Settings = typeof settings

/** The configuration as the program uses it: every setting read and checked. */
export type Config = {
  readonly [N in keyof Settings]:
    | ReturnType<Settings[N]['read']>
    | (Settings[N] extends { readonly default: string } ? never : null)
}

/** Lists the URLs that a node calls, by their settings. */
export function listCalledUrls(config: Config): readonly { readonly name: string; readonly url: string }[] {
  return Object.entries<Setting<unknown>>(settings).flatMap(([name, { is_called }]) => {
    const url = config[name as keyof Config]
    return is_called === true && url !== null ? [{ name, url: String(url) }] : []
  })
}

/** The process's environment, or a test's. */
export type Environment = Readonly<Record<string, string | undefined>>

const settingPrefixes = [
  ...Object.keys(featureSettings).map(name => name.replace(/_.*/, '')),
  'RESPONSE',
  'ATTESTOR',
  'ANALYSIS',
  'MAX',
  'CAPTURE',
  'CHALLENGE',
  'CONNECTIONS',
  'CORS',
  'DATABASE',
  'KEEP',
  'EMBED',
  'MASTER',
  'METRICS',
  'RATE',
  'REQUEST',
  'REDIRECT',
  'RETENTION',
  'SDK',
  'TRANSACTION',
  'WEBHOOK',
]

/**
 * Kubernetes sets these in every container, for each service of its namespace: a service `attestor` sets
 * `ATTESTOR_SERVICE_HOST` and `ATTESTOR_PORT=tcp://…`.
 */
function isInjected(name: string, value: string): boolean {
  return (
    /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/.test(name) ||
    (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value))
  )
}

type Name = keyof Settings

const names = Object.keys(settings) as readonly Name[]

function isSecret(name: Name): boolean {
  return 'is_secret' in settings[name]
}

export const secretSettings: readonly string[] = names.filter(isSecret)

/** Whether both differ in one place only, by two characters at most. */
function isMisspelt(name: string, candidate: string): boolean {
  const shorter = Math.min(name.length, candidate.length)
  let start = 0
  while (start < shorter && name[start] === candidate[start]) start++
  let end = 0
  while (end < shorter - start && name.at(-1 - end) === candidate.at(-1 - end)) end++
  return Math.max(name.length, candidate.length) - start - end <= 2
}

/** The environment contains other programs' variables. A misspelt setting is one with a known prefix, or a nearly right name. */
function findUnknown(environment: Environment): string[] {
  const known: readonly string[] = [...names, ...secretSettings.map(name => `${name}_FILE`)]
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (known.includes(name) || value === '' || isInjected(name, value)) return []
    const similar = known.find(candidate => candidate.length > 6 && isMisspelt(name, candidate))
    if (similar !== undefined) return [`${name}: unknown setting; did you mean ${similar}?`]
    return settingPrefixes.includes(name.split('_')[0] ?? '') ? [`${name}: unknown setting`] : []
  })
}

function readSecret(file: string, name: string): string {
  try {
    const content = readFileSync(file, 'utf8').trim()
    if (content !== '') return content
  } catch (error) {
    return fail(name, `can't be read: ${asError(error).message}`)
  }
  return fail(name, `${file} is empty`)
}

/** An empty value counts as absent. */
function readSetting<N extends Name>(name: N, environment: Environment): Config[N] {
  const setting: Setting<unknown> = settings[name]
  const value = environment[name] ?? ''
  const fileSetting = `${name}_FILE`
  const file = isSecret(name) ? (environment[fileSetting] ?? '') : ''
  if (file !== '' && value !== '') fail(fileSetting, `must not be set beside ${name}`)
  if (file !== '') return setting.read(readSecret(file, fileSetting), fileSetting) as Config[N]
  const text = value === '' ? setting.default : value
  return (text === undefined ? null : setting.read(text, name)) as Config[N]
}

/** Only where the database is, for tools that need nothing else. */
export function readDatabaseAddress(environment: Environment): DatabaseAddress {
  const read = <N extends keyof TlsSettings>(name: N): Config[N] => readSetting(name, environment)
  return addTls({
    DATABASE_URL: read('DATABASE_URL'),
    DATABASE_TLS: read('DATABASE_TLS'),
    DATABASE_TLS_CA: read('DATABASE_TLS_CA'),
    DATABASE_TLS_CERT: read('DATABASE_TLS_CERT'),
    DATABASE_TLS_KEY: read('DATABASE_TLS_KEY'),
  })
}

/** The engine of each section. */
export function getEngineNames(config: Config) {
  return {
    document: config.ANALYSIS_DOCUMENT_ENGINE ?? config.ANALYSIS_ENGINE,
    liveness: config.ANALYSIS_LIVENESS_ENGINE ?? config.ANALYSIS_ENGINE,
    face: config.ANALYSIS_FACE_ENGINE ?? config.ANALYSIS_ENGINE,
  } as const
}

/** Lists the settings that go in pairs, and whether one of them is missing. */
function findPairs(config: Config): readonly (readonly [isBroken: boolean, message: string])[] {
  const values: Readonly<Record<string, unknown>> = config
  const all: Readonly<Record<string, Setting<unknown>>> = settings
  return Object.entries(all).flatMap(([name, { goes_with: other }]) =>
    other === undefined
      ? []
      : [[(values[name] === null) !== (values[other] === null), `${name}: goes with ${other}`] as const],
  )
}

/** Rules between settings. A setting that could not be read is undefined here, and reported elsewhere. */
function findContradictions(config: Config): string[] {
  const engines = Object.values(getEngineNames(config))
  const { ANALYSIS_HTTP_URL, ANALYSIS_HTTP_SECRET, HOST, DATABASE_URL, MASTER_KEY } = config
  const requiredByHttp = 'is required by the engine http'
  const isPublic = HOST !== undefined && !loopbackPattern.test(HOST)
  const isServer = DATABASE_URL !== undefined && DATABASE_URL.dialect !== 'sqlite'
  const rules: readonly (readonly [isBroken: boolean, message: string])[] = [
    [
      (config.OIDC_ISSUER === null) !== (config.OIDC_CLIENT_ID === null) ||
        (config.OIDC_ISSUER === null) !== (config.OIDC_CLIENT_SECRET === null),
      'OIDC_ISSUER: goes with OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
    ],
    ...findPairs(config),
    [engines.includes('http') && ANALYSIS_HTTP_URL === null, `ANALYSIS_HTTP_URL: ${requiredByHttp}`],
    [
      engines.includes('http') && ANALYSIS_HTTP_SECRET === null,
      `ANALYSIS_HTTP_SECRET: ${requiredByHttp}: make one with \`openssl rand -base64 32\``,
    ],
    [
      engines.includes('scripted') && isPublic,
      'ANALYSIS_ENGINE: scripted approves everything, and so HOST must be a loopback address',
    ],
    [
      isServer && MASTER_KEY === null,
      'MASTER_KEY: is required with a database server: make one with `openssl rand -base64 32` and keep it safe',
    ],
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, message]) => message)
}

/**
 * Reads all settings.
 * @throws {ConfigError}, which names every setting that is unknown or malformed
 */
export function readConfig(environment: Environment): Config {
  const errors = findUnknown(environment)
  const read = names.flatMap(name => {
    try {
      return [[name, readSetting(name, environment)] as const]
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      errors.push(error.message)
      return []
    }
  })
  const config = Object.fromEntries(read) as unknown as Config
  errors.push(...findContradictions(config))
  if (errors.length > 0) throw new ConfigError(errors.join('\n'))
  return { ...config, DATABASE_URL: addTls(config) }
}

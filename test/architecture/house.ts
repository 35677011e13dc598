/**
 * What the architecture test checks: which module may import which, where each package is used, which files read the time,
 * the environment or random numbers, and how large things may be. Each exception says why.
 */

/** Modules that a module may import, and modules of which it may import the types. */
export interface Permissions {
  readonly may: readonly string[]
  readonly types?: readonly string[]
}

/** From the bottom up. A module is a folder of `src`, or a file at its top; imports inside a module are free. */
export const modules: Readonly<Record<string, Permissions>> = {
  machines: { may: [] },
  // The library, durable XState on plain SQL: it could be published as it is.
  'src/durable': { may: [] },
  // The library's clock and errors are the lowest layer of Attestor's own.
  'src/base': { may: ['src/durable'] },
  'src/version.ts': { may: ['package.json'] },
  'src/database': { may: ['src/base', 'src/durable'] },
  'src/charts': { may: ['machines'] },
  'src/config.ts': { may: ['src/base', 'src/decision', 'src/engines'], types: ['src/durable'] },
  'ormconfig.ts': { may: ['src/config.ts', 'src/durable', 'src/database'] },
  'src/keys': { may: ['src/base', 'src/config.ts', 'src/durable', 'src/database', 'src/webhooks'] },
  // Whole databases on their way into files and back.
  'src/backup': {
    may: ['src/base', 'src/version.ts', 'src/config.ts', 'src/durable', 'src/database', 'src/keys'],
  },
  'src/accounts': { may: ['src/base', 'src/durable', 'src/database'] },
  'src/customers': { may: ['src/base', 'src/durable', 'src/database'] },
  'src/processes': { may: ['src/base'] },
  // Checks uploaded images by their content, in child processes.
  'src/images': { may: ['src/base', 'src/processes'] },
  'src/captures': { may: ['src/base', 'src/durable', 'src/database'], types: ['machines'] },
  'src/decision': { may: ['src/base'] },
  'src/addresses': { may: ['src/base', 'src/decision'] },
  'src/engines': { may: ['src/base', 'src/processes', 'src/images', 'src/decision'] },
  'src/webhooks': {
    may: ['src/base', 'src/durable', 'src/database', 'machines'],
    types: ['src/keys', 'src/transactions'],
  },
  'src/transactions': {
    may: [
      'src/base',
      'src/durable',
      'src/database',
      'machines',
      'src/decision',
      'src/engines',
      'src/captures',
      'src/customers',
    ],
    types: ['src/addresses', 'src/images'],
  },
  'src/analysis': {
    may: [
      'src/base',
      'src/durable',
      'src/database',
      'src/decision',
      'src/engines',
      'src/captures',
      'src/customers',
      'src/transactions',
    ],
    types: ['machines'],
  },
  'src/erasure': {
    may: ['src/base', 'src/durable', 'src/database', 'src/captures', 'src/transactions'],
    types: ['machines'],
  },
  'src/evidence': {
    may: ['src/base', 'src/durable', 'src/database', 'src/keys', 'src/webhooks', 'src/transactions'],
    types: ['src/decision'],
  },
  // What browsers are sent, as it is written but for its types.
  'src/pages': { may: [] },
  // Runs in a browser: what it imports is served to it, and imports nothing of Node.
  'src/capture_page/page': { may: ['machines', 'src/images', 'src/engines'], types: ['src/decision'] },
  // The server's part of the capture page: its files, and how the operator wants it.
  'src/capture_page': { may: ['src/base', 'src/pages', 'src/capture_page/page'] },
  // Shows the API's document and docs/ to people; it knows neither the service nor HTTP.
  'src/reference': { may: ['src/pages'] },
  'src/metrics': {
    may: ['src/base', 'src/durable'],
    types: ['src/addresses', 'src/images', 'src/engines', 'src/processes'],
  },
  // Traces: what runs around calls, commits, jobs and engines.
  'src/tracing': { may: ['src/base', 'src/version.ts', 'src/durable'], types: ['src/engines'] },
  // The operator's own people: logins, sessions, roles, and the log of what they do.
  'src/operators': { may: ['src/base', 'src/durable', 'src/database'] },
  'src/http': {
    may: [
      'src/base',
      'src/version.ts',
      'src/config.ts',
      'src/durable',
      'src/database',
      'src/decision',
      'src/engines',
      'src/accounts',
      'src/charts',
      'src/pages',
      'src/capture_page',
      'src/reference',
      'src/customers',
      'src/images',
      'src/transactions',
      'src/webhooks',
      'src/keys',
      'src/evidence',
      'src/erasure',
      'src/operators',
    ],
    types: ['machines', 'src/metrics', 'src/composition'],
  },
  // Shows the journal, to a developer on the same machine.
  'src/inspect': { may: ['src/base', 'src/durable', 'src/database', 'src/charts', 'src/pages'] },
  // The operators' page and its API: everything that the service can do and show.
  'src/console': {
    may: [
      'src/base',
      'src/version.ts',
      'src/durable',
      'src/database',
      'src/decision',
      'src/accounts',
      'src/customers',
      'src/transactions',
      'src/analysis',
      'src/webhooks',
      'src/keys',
      'src/evidence',
      'src/erasure',
      'src/charts',
      'src/inspect',
      'src/operators',
      'src/http',
    ],
    types: ['machines', 'src/engines', 'src/images'],
  },
  // Not the service: they stand beside `src`, and the image does without them.
  synthetic: { may: ['src/base', 'src/engines'] },
  // Makes the weights that the reader ships, from rendered samples; nothing of the service imports it.
  training: { may: ['src/engines', 'synthetic'] },
  demo: { may: ['synthetic', 'src/base', 'clients/typescript', 'examples'] },
  // Other people's code begins here: it knows the service by HTTP alone.
  'clients/typescript': { may: [] },
  'clients/postman': { may: [] },
  examples: { may: ['clients/typescript'] },
}

/** Where everything is put together, and the tools beside the service: they may import any module. */
export const compositions: readonly string[] = ['src/main.ts', 'src/cli.ts', 'src/cli', 'src/composition', 'tools']

/** They test benches, or draw with what the bench of truth measures with. */
export const testsOfBenches: readonly string[] = [
  'test/truth',
  'test/faults',
  'test/engines/visual.test.ts',
  'test/engines/document_measures.test.ts',
]

/** Packages with a home: nobody else imports them, except for their types where a second list says so. */
export const homes: Readonly<Record<string, { readonly in: readonly string[]; readonly types?: readonly string[] }>> = {
  '@xstate/store': { in: ['src/processes'] },
  xstate: {
    in: ['machines', 'src/durable/actors/xstate.ts', 'src/durable/example', 'src/capture_page/page'],
    types: ['src/inspect', 'src/durable', 'tools'],
  },
  koa: { in: ['src/http', 'examples'], types: ['src/tracing'] },
  '@koa/router': { in: ['src/http', 'examples'] },
  typeorm: { in: ['src/durable/store'], types: ['src/durable/example', 'src/database/migrations'] },
  'better-sqlite3': { in: ['src/durable/store'] },
  mysql2: { in: ['src/durable/store', 'src/durable/test'] },
  'prom-client': { in: ['src/metrics'] },
  '@opentelemetry/api': { in: ['src/tracing'] },
  '@opentelemetry/exporter-trace-otlp-http': { in: ['src/tracing'] },
  '@opentelemetry/resources': { in: ['src/tracing'] },
  '@opentelemetry/sdk-trace-node': { in: ['src/tracing'] },
  pino: { in: ['src/base'] },
  uuid: { in: ['src/base/ids.ts', 'src/durable/random.ts'] },
  otpauth: { in: ['src/operators'] },
  undici: { in: ['src/webhooks', 'src/engines'] },
  cockatiel: { in: ['src/webhooks', 'src/engines'] },
  '@aws-sdk/client-s3': { in: ['src/captures'] },
  selfsigned: { in: ['demo'] },
  amaro: { in: ['src/pages'] },
  marked: { in: ['src/reference'] },
  'es-module-lexer': { in: ['src/pages'] },
  // Decoders of hostile bytes: in child processes, never in the service's own.
  sharp: {
    in: ['src/images', 'src/engines/local', 'synthetic', 'demo'],
  },
  '@tensorflow/tfjs-core': { in: ['src/engines', 'src/capture_page/page', 'training'] },
  '@tensorflow/tfjs-converter': { in: ['src/engines', 'src/capture_page/page', 'training'] },
  '@tensorflow/tfjs-backend-wasm': { in: ['src/engines', 'src/capture_page/page', 'training'] },
}

/** Uses that have one door, and the files that are it. A folder counts with all that is in it. */
export const doors: readonly { readonly use: RegExp; readonly why: string; readonly in: readonly string[] }[] = [
  {
    use: /^(Date\.now|Date\(\)|new Date\(\)|setTimeout\(\)|setInterval\(\)|AbortSignal\.timeout)$/,
    why: 'time comes through the Clock of src/base/clock.ts',
    // The demo, clients and examples stand for other people's programs, which share none of the service's code. A page's
    // time is its browser's.
    in: [
      ...['src/durable/clock.ts', 'src/durable/example', 'src/base/clock.ts'],
      ...['src/capture_page/page', 'src/console/page', 'demo', 'clients', 'examples'],
    ],
  },
  {
    use: /^(performance\.now|process\.hrtime|process\.cpuUsage|process\.threadCpuUsage)$/,
    why: 'only measurements ask for time or CPU of their own',
    in: ['src/base/clock.ts', 'src/capture_page/page', 'src/engines/local', 'demo', 'synthetic'],
  },
  {
    use: /^process\.env$/,
    why: 'the environment is read in one place, and handed on as settings',
    in: ['src/main.ts', 'src/cli.ts', 'ormconfig.ts', 'src/durable/example', 'src/durable/test', 'demo', 'examples'],
  },
  {
    use: /^store\.read$/,
    why: 'rows are read as what their columns are: readAll, readFirst, isThere',
    in: ['src/metrics/observe_store.ts', 'src/durable/store', 'src/durable/test'],
  },
  {
    use: /^((en|de)cryptWithRoot\(\)|\w+\.roots)$/,
    why: 'a column is encrypted by encryptColumn, so that a new root key encrypts it again',
    in: [
      ...['src/base/service_keys.ts', 'src/database/root_columns.ts', 'src/keys', 'src/cli/root_key.ts'],
      // What is given to a client, and expires.
      ...['src/accounts/access_token.ts', 'src/http/cursors.ts', 'src/transactions/capture_reading.ts'],
    ],
  },
  {
    use: /^(Math\.random|crypto\.(random\w*|getRandomValues|generateKey\w*|generatePrime\w*|webcrypto))$/,
    why: 'randomness comes from src/base/random.ts, or from a seed',
    in: [
      ...['src/durable/random.ts', 'src/durable/example', 'src/durable/test', 'src/base/random.ts'],
      ...['demo', 'clients', 'examples'],
    ],
  },
]

/** Modules of Node that would be a second door to time or to the environment. */
export const closedModules: readonly string[] = [
  'node:timers',
  'node:timers/promises',
  'node:process',
  'node:perf_hooks',
]

/** Sizes in lines, for the service. A test file may be fuller, because each costs half a second to start. */
export const sizes = { file: 200, test_file: 400, function_own: 50, function_whole: 80, parameters: 4 } as const

/** Files that are larger, and why that is better than cutting them up. */
export const largeFiles: Readonly<Record<string, string>> = {
  'machines/capture.ts': 'one literal, so that Stately’s tools open the chart as it is',
  'machines/transaction.ts': 'one literal, so that Stately’s tools open the chart as it is',
  'src/http/openapi/glossary.ts': 'every word of the API with its meaning, in one list',
  ...Object.fromEntries(
    ['en', 'es', 'fr', 'de'].map(language => [
      `src/capture_page/page/texts/${language}.ts`,
      'every text of a language is in one file, for its translator',
    ]),
  ),
  'src/config.ts': 'every setting stands beside its default and its meaning, in one list',
  'src/database/tables.ts': 'every table with what its columns hold, in one list',
  'src/decision/findings.ts': 'the author of an engine finds them all in one file',
}

/** Written by TypeORM's generator, of which only the types are ours, and by the one of the API's types. */
export const generatedFolders: readonly string[] = [
  'clients/typescript/src/api.ts',
  'src/database/migrations',
  'src/durable/example/migrations',
]

/** The only default exports: each is what a tool asks for. */
export const defaultExports: readonly string[] = ['ormconfig.ts', 'src/durable/example/data_source.ts']

/** Not part of the service, and run from a full installation: these may use development dependencies. */
export const developmentPlaces: readonly string[] = ['src/durable/test', 'synthetic', 'demo', 'tools', 'training']

/**
 * These lists are checked by the architecture test: which layer may import which, who uses each package, and which
 * files read the time, the environment or random numbers. Each exception says why.
 */

/**
 * The folders of features. What the service knows of one is in its `feature.ts`, with its scenes, tables and rows; its
 * commands are in `commands.ts`.
 */
export const homes: readonly string[] = ['src/chip', 'src/wallet', 'src/duplicates', 'src/handoff', 'src/attestation']

/** The layers from the bottom up: each imports itself and those above it in this list, and nothing else. */
export const layers: readonly string[] = [
  // The library, durable XState on plain SQL: it could be published as it is.
  'packages/durable',
  // From findings to a decision, and the text of a machine-readable zone: pure.
  'packages/rules',
  // The analysis of pictures, and the processes that it runs in.
  'packages/vision',
  // The verification of signatures by states: the files of a document's chip.
  'packages/credentials',
  // Calls to addresses that others name: the guard against private networks, and their bounds.
  'packages/outbound',
  // The charts, as Stately's tools open them. They use the words of the rules, as types.
  'machines',
  // The files of pages as browsers are sent them, and the charts' drawings.
  'packages/page-files',
  // The reference of the API.
  'packages/api-reference',
  // The guides in docs, as pages beside that reference.
  'packages/guides',
  // The page on which a person takes the pictures, and the script that frames it.
  'packages/capture-page',
  // The clock, errors, random numbers, the log.
  'src/base',
  // The schemas that the fields of calls and answers are made of, and the text of an answer.
  'src/schemas',
  // The tables and their migrations.
  ...homes.map(home => `${home}/tables.ts`),
  'src/database',
  // The engines that answer by script or over HTTP, and address data.
  'src/engines',
  // The features as the service knows them: what each adds to the API, to a session and to a transaction.
  'src/feature.ts',
  ...homes.map(home => `${home}/scenes.ts`),
  ...homes.map(home => `${home}/rows.ts`),
  ...homes.map(home => `${home}/feature.ts`),
  'src/features.ts',
  // Every setting, with its default.
  'src/config',
  // Clients, customers, operators, and the keys.
  'src/identity',
  // A transaction from its captures to its decision, its evidence and its erasure.
  'src/verification',
  'src/webhooks',
  'src/http',
  // The operators' API, and the inspector of developers.
  'src/console',
  // The work of each feature: endpoints, evidence, imports.
  'src/feature_work.ts',
  ...homes,
  // The operators' page.
  'packages/console-page',
  // The work of all features.
  'src/feature_parts.ts',
  // Puts everything together, and keeps it running: start, readiness, metrics, traces, backups.
  'src/node',
]

/** The files of packages' doors. */
export const doors: readonly string[] = [
  ...['index.ts', 'sql.ts', 'testing.ts'],
  // The doors of vision: the capture page's guidance; readers for the caller's own process; drawn people and documents.
  ...['guidance.ts', 'readers.ts', 'synthetic.ts'],
  // The statements that the makers of devices have signed are among the credentials.
  'attestation.ts',
  // Requests to wallets and their answers are among the credentials.
  'wallet.ts',
  // The door of rules to the text of a machine-readable zone.
  'zone.ts',
  // The door of rules to what readers of documents apply.
  'readings.ts',
  // The doors for pages.
  ...['page.ts', 'chart.ts'],
]

/** Layers that import fewer than those above them. */
export const onlyImports: Readonly<Record<string, readonly string[]>> = {
  machines: ['packages/rules'],
}

/** Types that a layer imports against the direction, and why. */
export const typesFromAbove: Readonly<Record<string, readonly string[]>> = {
  // Routes name the parts of the node that they are given.
  'src/http': ['src/node'],
}

/**
 * Layers that run in a browser: they import other pages, the client of the device's side, and the parts of the service
 * that a browser can run.
 */
export const browserMayImport: readonly string[] = [
  'machines',
  'packages/rules/page.ts',
  'packages/vision/guidance.ts',
  'packages/page-files/chart.ts',
  'clients/typescript',
  // The roles and the actions that the console names.
  'src/database/words.ts',
  'src/identity/operators/roles.ts',
]

/**
 * Folders beside `src` that are not the service. The image does without them, except for the client that the capture
 * page runs.
 */
export const beside: Readonly<Record<string, readonly string[]>> = {
  'ormconfig.ts': ['src/config', 'packages/durable', 'src/database'],
  'lab/demo': ['packages/vision', 'packages/credentials', 'src/base', 'clients/typescript', 'examples'],
  // Other people's code begins here: it knows the service by HTTP alone.
  'clients/typescript': [],
  examples: ['clients/typescript'],
}

/** The programs and the tools beside the service: they may import any layer. */
export const programs: readonly string[] = [
  ...['src/main.ts', 'src/cli.ts', 'src/cli', 'tools'],
  ...['src/feature_commands.ts', ...homes.map(home => `${home}/commands.ts`)],
]

/** These test benches, or draw with the same tools as the bench of truth. */
export const testsOfBenches: readonly string[] = [
  'packages/vision/test/truth',
  'test/faults',
  'packages/vision/test/visual.test.ts',
  'packages/vision/test/document_measures.test.ts',
]

/** Packages with one user: no other folder imports them, except for types if a second list says so. */
export const owners: Readonly<Record<string, { readonly in: readonly string[]; readonly types?: readonly string[] }>> =
  {
    '@xstate/store': { in: ['packages/vision/processes'] },
    xstate: {
      in: [
        'machines',
        'packages/durable/actors/xstate.ts',
        'packages/durable/bench',
        'packages/durable/example',
        'packages/capture-page/page',
      ],
      types: ['src/console/inspect', 'packages/durable', 'tools'],
    },
    koa: { in: ['src/http', 'examples'], types: ['src/node/tracing'] },
    '@koa/router': { in: ['src/http', 'examples'] },
    'koa-body': { in: ['src/http/body.ts'] },
    typeorm: { in: ['packages/durable/store'], types: ['packages/durable/example', 'src/database/migrations'] },
    'better-sqlite3': {
      in: ['packages/durable/store', 'packages/durable/bench', 'packages/durable/example/by_hand.ts'],
    },
    mysql2: { in: ['packages/durable/store', 'packages/durable/test'] },
    'prom-client': { in: ['src/node/metrics'] },
    '@opentelemetry/api': { in: ['src/node/tracing'] },
    '@opentelemetry/exporter-trace-otlp-http': { in: ['src/node/tracing'] },
    '@opentelemetry/resources': { in: ['src/node/tracing'] },
    '@opentelemetry/sdk-trace-node': { in: ['src/node/tracing'] },
    pino: { in: ['src/node/open_log.ts'] },
    uuid: { in: ['src/base/ids.ts', 'packages/durable/random.ts'] },
    otpauth: { in: ['src/identity/operators', 'lab/demo'] },
    'openid-client': { in: ['src/identity/operators/single_sign_on.ts'] },
    undici: { in: ['packages/outbound', 'src/engines'] },
    '@aws-sdk/client-s3': { in: ['src/verification/captures'] },
    'structured-headers': { in: ['src/attestation'] },
    selfsigned: { in: ['lab/demo'] },
    amaro: { in: ['packages/page-files/serve', 'tools'] },
    marked: { in: ['packages/guides'] },
    minisearch: { in: ['packages/api-reference/page'] },
    'es-module-lexer': { in: ['packages/page-files/serve', 'tools'] },
    // Decoders of hostile bytes: in child processes, never in the service's own.
    sharp: {
      in: ['packages/vision', 'lab/demo'],
    },
    '@cornerstonejs/codec-openjpeg': { in: ['packages/vision/images/jpeg2000.ts', 'packages/credentials/synthetic'] },
    '@tensorflow/tfjs-core': { in: ['packages/capture-page/page'] },
    '@tensorflow/tfjs-converter': { in: ['packages/capture-page/page'] },
    '@peculiar/asn1-cms': { in: ['packages/credentials'] },
    '@peculiar/asn1-rsa': { in: ['packages/credentials'] },
    '@peculiar/asn1-schema': { in: ['packages/credentials'] },
    '@peculiar/asn1-x509': { in: ['packages/credentials'] },
    asn1js: { in: ['packages/credentials'] },
    'onnxruntime-node': { in: ['packages/vision/networks/session.ts'] },
    '@tensorflow/tfjs-backend-wasm': { in: ['packages/capture-page/page'] },
  }

/** Globals that few files may use, and which. A folder counts with all that is in it. */
export const allowedGlobals: readonly { readonly use: RegExp; readonly why: string; readonly in: readonly string[] }[] =
  [
    {
      use: /^(Date\.now|Date\(\)|new Date\(\)|setTimeout\(\)|setInterval\(\)|AbortSignal\.timeout)$/,
      why: 'time comes through the Clock of src/base/clock.ts',
      // The demo, clients and examples stand for other people's programs, which share none of the service's code. A page's
      // time is its browser's.
      in: [
        'packages/durable/clock.ts',
        'packages/durable/example',
        'packages/vision/surroundings.ts',
        'src/base/clock.ts',
        'packages/capture-page/page',
        'packages/capture-page/embed/page',
        'packages/console-page/page',
        'lab/demo',
        'clients',
        'examples',
      ],
    },
    {
      use: /^(performance\.now|process\.hrtime|process\.cpuUsage|process\.threadCpuUsage)$/,
      why: 'only measurements ask for time or CPU of their own',
      in: ['packages/durable/bench', 'src/base/clock.ts', 'packages/capture-page/page', 'packages/vision', 'lab/demo'],
    },
    {
      use: /^process\.env$/,
      why: 'the environment is read in one place, and handed on as settings',
      in: [
        'src/main.ts',
        'src/cli.ts',
        'ormconfig.ts',
        'packages/durable/example',
        'packages/durable/test',
        'lab/demo',
        'examples',
      ],
    },
    {
      use: /^store\.read$/,
      why: 'rows are read as what their columns are: readAll, readFirst, isThere',
      in: ['src/node/metrics/observe_store.ts', 'packages/durable/store', 'packages/durable/test'],
    },
    {
      use: /^((en|de)cryptWithRoot\(\)|\w+\.roots)$/,
      why: 'a column is encrypted by encryptColumn, so that a new root key encrypts it again',
      in: [
        'src/base/encryption.ts',
        'src/database/root_columns.ts',
        'src/identity/keys',
        'src/cli/root_key.ts',
        // Tokens that a client gets, and that expire.
        'src/identity/accounts/access_token.ts',
        'src/http/cursors.ts',
        'src/verification/transactions/capture_reading.ts',
      ],
    },
    {
      use: /^(Math\.random|crypto\.(random\w*|getRandomValues|generateKey\w*|generatePrime\w*|webcrypto))$/,
      why: 'randomness comes from src/base/random.ts, or from a seed',
      in: [
        'packages/durable/random.ts',
        'packages/durable/bench',
        'packages/durable/example',
        'packages/durable/test',
        'src/base/random.ts',
        'lab/demo',
        'clients',
        'examples',
      ],
    },
  ]

/** Modules of Node that would be a second way to the time or to the environment. */
export const closedModules: readonly string[] = [
  'node:timers',
  'node:timers/promises',
  'node:process',
  'node:perf_hooks',
]

/** Written by TypeORM's generator, of which only the types are ours, and by the generator of the API's types. */
export const generatedFolders: readonly string[] = [
  'clients/typescript/src/api.ts',
  'src/database/migrations',
  'packages/durable/example/migrations',
]

/** The only default exports: a tool requires each. */
export const defaultExports: readonly string[] = [
  'ormconfig.ts',
  'packages/durable/example/data_source.ts',
  'test/grouped.ts',
]

/** These are not part of the service, and run from a full installation: they may use development dependencies. */
export const developmentPlaces: readonly string[] = ['lab/demo', 'tools']

/** The nine packages that the project is built on, and where each does its work. */
export const foundations: Readonly<Record<string, string>> = {
  xstate: 'packages/durable/actors/xstate.ts',
  '@xstate/store': 'packages/vision/processes/slot.ts',
  koa: 'src/http/app.ts',
  '@koa/router': 'src/http/app.ts',
  'koa-body': 'src/http/body.ts',
  typeorm: 'packages/durable/store',
  mysql2: 'packages/durable/store',
  jose: 'src/identity/keys',
  ava: 'test',
}

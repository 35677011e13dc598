/**
 * The house as the architecture test holds it: which room may import which, which package is at home where, who asks for
 * the hour or the environment, and how large things may be. Each exception says why.
 */

/** A room's permissions: rooms that it may import, and rooms of which it may know the types. */
export interface Room {
  readonly may: readonly string[]
  readonly types?: readonly string[]
}

/** From the bottom up. A room is a folder of `src`, or a file at its top; imports inside a room are free. */
export const rooms: Readonly<Record<string, Room>> = {
  machines: { may: [] },
  'src/base': { may: [] },
  'src/phase.ts': { may: [] },
  'src/store': { may: ['src/base'] },
  'src/config.ts': { may: ['src/base', 'src/analysis'], types: ['src/store'] },
  'src/version.ts': { may: ['package.json'] },
  'src/licences.ts': { may: [] },
  'src/transaction_settings.ts': { may: ['src/config.ts', 'src/analysis'], types: ['machines', 'src/base'] },
  'src/master_key.ts': { may: ['src/base', 'src/config.ts', 'src/store'] },
  'ormconfig.ts': { may: ['src/config.ts', 'src/store'] },
  'src/host': { may: ['src/base', 'src/store', 'machines'] },
  'src/accounts': { may: ['src/base', 'src/store'] },
  'src/customers': { may: ['src/base', 'src/store'] },
  'src/children': { may: ['src/base'] },
  'src/captures': { may: ['src/base', 'src/store', 'src/children'] },
  // Makes the weights that the reader ships, from rendered samples; nothing of the service imports it.
  'src/analysis/local/document/train': { may: ['src/analysis', 'src/synthetic', 'src/base'] },
  'src/analysis': { may: ['src/base', 'src/children'] },
  'src/webhooks': { may: ['src/base', 'src/store', 'src/host', 'machines'] },
  'src/transactions': {
    may: ['src/base', 'src/store', 'src/host', 'machines', 'src/analysis', 'src/captures', 'src/customers'],
  },
  'src/erasure': { may: ['src/base', 'src/store', 'src/host', 'src/transactions'], types: ['machines'] },
  'src/evidence': {
    may: ['src/base', 'src/store', 'src/host', 'src/webhooks', 'src/transactions'],
    types: ['src/analysis'],
  },
  'src/worker': {
    may: [
      'src/erasure',
      'src/base',
      'src/store',
      'src/host',
      'src/analysis',
      'src/captures',
      'src/customers',
      'src/webhooks',
      'src/transactions',
    ],
    types: ['machines'],
  },
  'src/metrics': { may: ['src/base', 'src/store'], types: ['src/analysis', 'src/captures', 'src/worker'] },
  'src/http': {
    may: [
      'src/evidence',
      'src/erasure',
      'src/base',
      'src/phase.ts',
      'src/version.ts',
      'src/config.ts',
      'src/store',
      'src/analysis',
      'src/accounts',
      'src/customers',
      'src/captures',
      'src/transactions',
      'src/webhooks',
      'src/analysis',
    ],
    types: ['src/host', 'machines', 'src/metrics'],
  },
  // Not the service: a person's phone, an integrator, and people who do not exist. They know it by HTTP alone.
  'src/synthetic': { may: ['src/base'] },
  'src/demo': { may: ['src/synthetic', 'src/base'] },
}

/** Where everything is put together, and the tools beside the service: they may import any room. */
export const compositions: readonly string[] = [
  'src/main.ts',
  'src/cli.ts',
  'src/cli',
  'src/node.ts',
  'src/live.ts',
  'src/service.ts',
  'src/database.ts',
  'src/engines.ts',
  'src/generate.ts',
]

/** Packages with a home: nobody else imports them, except for their types where a second list says so. */
export const homes: Readonly<Record<string, { readonly in: readonly string[]; readonly types?: readonly string[] }>> = {
  xstate: { in: ['machines', 'src/host/xstate.ts'], types: ['src/host', 'src/worker', 'src/generate.ts'] },
  '@xstate/store': { in: ['src/phase.ts', 'src/webhooks', 'src/worker', 'src/web'] },
  koa: { in: ['src/http'] },
  '@koa/router': { in: ['src/http'] },
  'koa-body': { in: ['src/http'] },
  'koa-helmet': { in: ['src/http'] },
  typeorm: { in: ['src/store', 'ormconfig.ts'] },
  'better-sqlite3': { in: ['src/store'] },
  mysql2: { in: ['src/store'] },
  'prom-client': { in: ['src/metrics'] },
  pino: { in: ['src/base'] },
  uuid: { in: ['src/base'] },
  undici: { in: ['src/webhooks', 'src/analysis'] },
  cockatiel: { in: ['src/webhooks', 'src/analysis'] },
  selfsigned: { in: ['src/demo'] },
  // Decoders of hostile bytes: in child processes, never in the service's own.
  sharp: {
    in: ['src/captures/image.ts', 'src/analysis/local', 'src/synthetic', 'src/demo'],
  },
  '@tensorflow/tfjs-core': { in: ['src/analysis'] },
  '@tensorflow/tfjs-converter': { in: ['src/analysis'] },
  '@tensorflow/tfjs-backend-wasm': { in: ['src/analysis'] },
}

/** Uses that have one door, and the files that are it. A folder counts with all that is in it. */
export const doors: readonly { readonly use: RegExp; readonly why: string; readonly in: readonly string[] }[] = [
  {
    use: /^(Date\.now|Date\(\)|new Date\(\)|setTimeout\(\)|setInterval\(\)|AbortSignal\.timeout)$/,
    why: 'time comes through the Clock of src/base/clock.ts',
    // The demo stands for other people's programs, which share none of the service's code.
    in: ['src/base/clock.ts', 'src/demo'],
  },
  {
    use: /^(performance\.now|process\.hrtime|process\.cpuUsage|process\.threadCpuUsage)$/,
    why: 'only measurements ask for time or CPU of their own',
    in: ['src/base/clock.ts', 'src/analysis/local', 'src/demo', 'src/synthetic'],
  },
  {
    use: /^process\.env$/,
    why: 'the environment is read in one place, and handed on as settings',
    in: ['src/main.ts', 'src/cli.ts', 'ormconfig.ts', 'src/demo'],
  },
  {
    use: /^store\.read$/,
    why: 'rows are read as what their columns are: readAll, readFirst, isThere',
    in: ['src/store'],
  },
  {
    use: /^Math\.random$/,
    why: 'chance is drawn from node:crypto, or from a seed',
    in: [],
  },
]

/** Modules of Node that would be a second door to time or to the environment. */
export const closed_modules: readonly string[] = [
  'node:timers',
  'node:timers/promises',
  'node:process',
  'node:perf_hooks',
]

/** Sizes in lines, for the service. A test file may be fuller, because each costs half a second to start. */
export const sizes = { file: 200, test_file: 400, function_own: 50, function_whole: 80, parameters: 4 } as const

/** Files that are larger, and why that is better than cutting them up. */
export const large_files: Readonly<Record<string, string>> = {
  'machines/transaction.ts': 'one literal, so that Stately’s tools open the chart as it is',
  'src/config.ts': 'every setting stands beside its default and its meaning, in one list',
  'src/store/tables.ts': 'every table with what its columns hold, in one list',
  'src/analysis/port.ts': 'whoever writes an engine reads all of the port, and finds it in one place',
}

/** Written by TypeORM's generator; only the types are ours. */
export const generated_folders: readonly string[] = ['src/store/migrations']

/** The only default exports: each is what a tool asks for. */
export const default_exports: readonly string[] = ['ormconfig.ts']

/** Not part of the service, and run from a full installation: these may use development dependencies. */
export const development_places: readonly string[] = [
  'src/synthetic',
  'src/demo',
  'src/generate.ts',
  'src/analysis/local/document/train',
]

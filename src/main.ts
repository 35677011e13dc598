import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Only modules that are imported after this call come from the cache. The folder belongs to the installation: its
// contents are executed. If it can't be written, as in a read-only container, the program does without.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/attestor'))

const { asError, toApiError } = await import('./base/api_error.ts')
const { systemClock } = await import('./base/clock.ts')
const { ConfigError } = await import('./base/setting.ts')
const { readConfig } = await import('./config/settings.ts')
const { openLog } = await import('./node/open_log.ts')
const { startNode } = await import('./node/start_node.ts')
const { openTracing } = await import('./node/tracing/open_tracing.ts')

/** If something still runs this long after the end of the drain, the process exits. */
const forcedExitMs = 10_000

/** `npm start` */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const tracing = await openTracing(process.env)
  const log = openLog({
    level: config.LOG_LEVEL,
    format: config.LOG_FORMAT,
    ...(tracing && { readFields: tracing.logFields }),
  })
  const starting = startNode({ config, clock: systemClock, followsDatabase: true, log, tracing })
  let stopping = false
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'draining')
    systemClock.setTimer(config.DRAIN_SECONDS * 1000 + forcedExitMs, () => {
      log.error({}, 'did not stop in time')
      process.exit(1)
    })
    // A signal may arrive during the start.
    const stopped = starting.then(node => node.stop())
    stopped.then(
      () => {
        log.info({}, 'stopped')
        process.exit(0)
      },
      error => {
        log.error({ error: asError(error).message }, 'did not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  await starting
}

main().catch((thrown: unknown) => {
  const error = asError(thrown)
  // Settings and an unreachable database are for the operator to fix: no stack trace.
  if (error instanceof ConfigError || toApiError(error) !== null)
    for (const line of error.message.split('\n')) console.error(`attestor: ${line}`)
  else console.error(error)
  process.exit(1)
})

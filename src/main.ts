import { asError, toApiError } from './base/api_error.ts'
import { systemClock } from './base/clock.ts'
import { openLog } from './base/log.ts'
import { ConfigError, readConfig } from './config/settings.ts'
import { startNode } from './node/start_node.ts'
import { openTracing } from './node/tracing/open_tracing.ts'

/** If something still runs this long after the end of the drain, the process exits. */
const forcedExitMs = 10_000

/** `npm start` */
const main = async (): Promise<void> => {
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

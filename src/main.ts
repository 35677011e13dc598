import { systemClock } from './base/clock.ts'
import { jsonLog } from './base/log.ts'
import { asError, Refusal } from './base/refusal.ts'
import { restrictImageLoaders } from './captures/image.ts'
import { ConfigError, readConfig } from './config.ts'
import { startNode } from './node.ts'

/** The service as an operator starts it: `npm start`. */
const main = async (): Promise<void> => {
  const config = readConfig(process.env)
  const log = jsonLog(config.LOG_LEVEL)
  restrictImageLoaders()
  const node = await startNode({ config, clock: systemClock, log })
  let stopping = false
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'draining')
    node.stop().then(
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
}

main().catch((thrown: unknown) => {
  const error = asError(thrown)
  // What the operator can mend, a setting or an absent database, needs no stack trace.
  console.error(error instanceof ConfigError || error instanceof Refusal ? `attestor: ${error.message}` : error)
  process.exit(1)
})

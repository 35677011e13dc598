/** A node that `attestor bench` measures, in its own process. Messages give it its settings and end it. */
import { asError } from '../../base/api_error.ts'
import { systemClock } from '../../base/clock.ts'
import { openLog } from '../../base/log.ts'
import type { Config } from '../../config/settings.ts'
import { startNode } from '../../node/start_node.ts'

const run = async (config: Config): Promise<void> => {
  const node = await startNode({ config, clock: systemClock, log: openLog({ level: config.LOG_LEVEL }) })
  process.once('message', () => {
    node.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  })
  process.send?.({ url: node.url })
}

// It serves only the process that started it.
process.once('disconnect', () => process.exit(1))
process.once('message', (config: Config) => {
  run(config).catch(error => process.send?.({ failed: asError(error).message }))
})

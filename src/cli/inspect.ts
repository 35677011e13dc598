import { once } from 'node:events'
import { type Command, InvalidArgumentError } from 'commander'
import { createHost } from 'durable-xstate-sql'
import { asError, isUnavailable } from 'durable-xstate-sql/sql'
import { ApiError } from '../base/api_error.ts'
import { wait } from '../base/clock.ts'
import type { Speed } from '../console/inspect/follow.ts'
import { openJournal, type ReadJournal, type Scope } from '../console/inspect/journal.ts'
import { startInspectServer } from '../console/inspect/server.ts'
import { createTransactionDefinition } from '../verification/transactions/definition.ts'
import { createDeliveries } from '../webhooks/delivery.ts'
import { type CommandContext, parseIdArgument, type Shell } from './command.ts'

const awayMs = 1000

interface InspectOptions {
  readonly speed: Speed
  readonly newest: number
  readonly port: number
  readonly statelyUrl: string
}

function parseNumber(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value)
    if (value.trim() === '' || !(number >= min && number <= max))
      throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`)
    return number
  }
}

function parseSpeed(value: string): Speed {
  return value === 'at_once' ? value : parseNumber(0.001, 1_000_000)(value)
}

function parseUrl(value: string): string {
  if (!/^https?:$/.test(URL.parse(value)?.protocol ?? ''))
    throw new InvalidArgumentError('It must be an http or https URL.')
  return value
}

/** The database may be starting again: a look that can't reach it finds nothing, and the next one may. */
function whileAway(read: ReadJournal, { clock, warn }: CommandContext, stopped: AbortSignal): ReadJournal {
  return async () => {
    try {
      return await read()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      warn(`${asError(error).message}; trying again`)
      await wait(clock, awayMs, stopped)
      return []
    }
  }
}

function untilStopped(): AbortSignal {
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort())
  return stopped.signal
}

async function inspect(scope: Scope, options: InspectOptions, context: CommandContext): Promise<void> {
  const { store, clock, config, print } = context
  const deliveries = createDeliveries(createHost(store, clock), [])
  const transactionDefinition = createTransactionDefinition(store.dialect, deliveries)
  const journal = { store, transactionDefinition }
  if ('transaction_ids' in scope && (await openJournal(journal, scope)()).length === 0)
    throw new ApiError('not_found', 'transaction_id: not found')
  const { speed, port, statelyUrl: stately_url } = options
  const stopped = untilStopped()
  const read = whileAway(openJournal(journal, scope), context, stopped)
  const server = await startInspectServer({ read, clock, speed, port: Math.floor(port), stately_url })
  const query = 'newest' in scope ? '' : `?id=${scope.transaction_ids}`
  print(`Inspector: ${server.url}\nIt opens once, and shows the charts to Stately’s page in your browser.`)
  print(
    `In the console, without anyone else: ${config.BASE_URL ?? `http://127.0.0.1:${config.PORT}`}/console/charts${query}\nStop with Ctrl-C.`,
  )
  if (!stopped.aborted) await once(stopped, 'abort')
  await server.close()
}

export function addInspectCommand(program: Command, { withDatabase }: Shell): void {
  program
    .command('inspect')
    .description('watch transactions and deliveries move on their charts in Stately’s inspector')
    .argument('[transaction_id]', 'this transaction alone, also one that has ended', parseIdArgument)
    .option('--newest <number>', 'without an id: so many transactions', parseNumber(1, 10_000), 100)
    .option('--speed <factor>', 'show history as many times as fast as it happened', parseSpeed, 'at_once')
    .option('--port <port>', 'where to listen on 127.0.0.1; 0 for any free port', parseNumber(0, 65_535), 0)
    .option('--stately-url <url>', 'where Stately’s inspector is', parseUrl, 'https://stately.ai/inspect')
    .action((transaction_id: string | undefined, options: InspectOptions) => {
      const scope =
        transaction_id === undefined ? { newest: Math.floor(options.newest) } : { transaction_ids: [transaction_id] }
      return withDatabase(context => inspect(scope, options, context))
    })
}

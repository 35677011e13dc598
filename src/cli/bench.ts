import { availableParallelism, cpus, loadavg } from 'node:os'
import { type Command, InvalidArgumentError } from 'commander'
import { version } from '../base/version.ts'
import { type BenchFigures, runBench } from './bench/run.ts'
import { print, type ReadConfig } from './command.ts'
import { withProgress } from './progress.ts'

const parseSeconds = (value: string): number => {
  const seconds = Number(value)
  if (!/^\d{1,4}$/.test(value) || seconds < 5 || seconds > 3600)
    throw new InvalidArgumentError('It must be a whole number from 5 to 3600.')
  return seconds
}

/** The load of others before the bench makes its own. */
const describeMachine = () => ({
  version,
  node: process.version,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  load: Number((loadavg()[0] ?? 0).toFixed(1)),
})

const sized = ({ bytes_per_transaction: bytes, transactions_per_second }: BenchFigures): string => {
  if (bytes !== null) return `${(bytes / 1024).toFixed(1)} KiB a transaction, without its images`
  return transactions_per_second === null
    ? 'not measured in time'
    : 'not measured: a server gives its tables space by the megabyte'
}

type Machine = ReturnType<typeof describeMachine>

const rated = (figure: number | null): string =>
  figure === null ? 'not measured in time' : `${figure.toFixed(figure < 10 ? 2 : 0)} a second`

const describe = ({ cores, cpu, load, node }: Machine, figures: BenchFigures, analysisProcesses: number): string => {
  const warning =
    load > cores / 2 ? `\nOthers keep this machine busy (load ${load}): take it again when it is quiet.` : ''
  return `${cores} cores, ${cpu}, Node ${node}, ${figures.database}
requests      ${rated(figures.requests_per_second)}: transactions that are read, 16 at once
transactions  ${rated(figures.transactions_per_second)}: all that a verification is but the analysis
deliveries    ${rated(figures.deliveries_per_second)}: webhooks to a receiver on this machine
analyses      ${rated(figures.analyses_per_second)}: verifications with the models, ANALYSIS_PROCESSES=${analysisProcesses}
database      ${sized(figures)}${warning}`
}

interface Options {
  readonly seconds: number
  readonly limit?: number
  readonly configured?: true
  readonly json?: true
}

export const addBenchCommand = (program: Command, readConfig: ReadConfig): void => {
  program
    .command('bench')
    .description('measure what this machine does with these settings, on a database that is gone afterwards')
    .option('--seconds <seconds>', 'how long to measure; starting nodes comes on top', parseSeconds, 40)
    .option('--limit <seconds>', 'end by then, with what is measured until then (half as long again)', parseSeconds)
    .option(
      '--configured',
      'on the disk of the configured file, or on the configured server, whose database must be empty',
    )
    .option('--json', 'print JSON')
    .action(async ({ seconds, limit = 1.5 * seconds, configured, json }: Options) => {
      const [config, machine] = [readConfig(), describeMachine()]
      const isConfigured = configured === true
      const figures = await withProgress(report => runBench({ config, seconds, limit, isConfigured, report }))
      print(
        json === true
          ? JSON.stringify({ ...machine, ...figures })
          : describe(machine, figures, config.ANALYSIS_PROCESSES),
      )
    })
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { asError } from '../src/base/api_error.ts'
import { type Backend, connectBackend, type Transaction } from './backend.ts'
import { inventScene, loadScene, type Scene } from './people.ts'
import { capture } from './phone.ts'
import {
  createAccount,
  type Integrator,
  type SeenWebhook,
  type ServiceProcess,
  startInspector,
  startIntegrator,
  startServiceProcess,
} from './processes.ts'

const usage = `npm run demo -- [--once] [--inspect] [--impostor]
npm run demo -- [--once] [--inspect] --document FILE [--document-back FILE] --selfie FILE
                [--turn-left FILE --turn-right FILE --blink FILE --open-mouth FILE --look-up FILE]

One verification, end to end, over HTTP and through the real models. Without photos a person and a passport are made
that belong to nobody. --impostor: another such person takes the selfie. --inspect: opens the inspector, in which the
transaction moves on its chart. --once: exit at the end, 0 only if everything happened; otherwise it stays up.`

const options = {
  once: { type: 'boolean', default: false },
  inspect: { type: 'boolean', default: false },
  impostor: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  document: { type: 'string' },
  'document-back': { type: 'string' },
  selfie: { type: 'string' },
  'turn-left': { type: 'string' },
  'turn-right': { type: 'string' },
  blink: { type: 'string' },
  'open-mouth': { type: 'string' },
  'look-up': { type: 'string' },
} as const

class UsageError extends Error {
  override name = 'UsageError'
}

const say = (line: string): void => console.log(line)

/** The notifications of a successful verification, in order. */
const expectedStatuses = ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED']

const format = (value: unknown): string => {
  if (Array.isArray(value))
    return value.map(({ name, action, status, passed }) => `${name ?? action} ${status ?? passed}`).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const print = (transaction: Transaction): void => {
  const { result_data: result } = transaction
  say(`\ntransaction ${transaction.id} is ${transaction.status}: ${result?.decision ?? 'no decision'}`)
  for (const { type, code, message, details } of result?.issues ?? [])
    say(`  ${type.padEnd(6)} ${code}: ${message}${details === undefined ? '' : ` ${JSON.stringify(details)}`}`)
  for (const name of ['document', 'liveness', 'face_comparison'] as const) {
    const section = result?.[name]
    if (section === undefined) continue
    say(`  ${name}: ${section.status}`)
    for (const [field, value] of Object.entries(section.data)) if (value !== null) say(`    ${field}: ${format(value)}`)
  }
}

/** Collects and prints the integrator's webhooks. */
const collectWebhooks = (integrator: Integrator) => {
  const seen: SeenWebhook[] = []
  const last = Promise.withResolvers<void>()
  integrator.onWebhook(webhook => {
    seen.push(webhook)
    const { verified, body, reason } = webhook
    say(verified ? `webhook ${body.sequence}: ${body.status}, signature verified` : `webhook rejected: ${reason}`)
    if (verified && ['FINISHED', 'FAILED', 'EXPIRED'].includes(body.status)) last.resolve()
  })
  return { seen, last: last.promise }
}

const withTimeout = async (work: Promise<void>, limit_ms: number): Promise<void> => {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(() => late.reject(new Error(`no final webhook within ${limit_ms / 1000} s`)), limit_ms)
  try {
    await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Whether the run did what was expected. Prints every difference. */
const judge = (transaction: Transaction, seen: readonly SeenWebhook[], wanted: string | null): boolean => {
  const faults: string[] = []
  // The same status may arrive twice.
  const notified = seen.filter(({ verified, duplicate }) => verified && !duplicate).map(({ body }) => body.status)
  if (JSON.stringify(notified) !== JSON.stringify(expectedStatuses)) faults.push(`webhooks were ${notified.join(', ')}`)
  if (transaction.status !== 'FINISHED') faults.push(`the transaction is ${transaction.status}`)
  const decision = transaction.result_data?.decision
  if (wanted !== null && decision !== wanted) faults.push(`the decision is ${decision}, not ${wanted}`)
  for (const fault of faults) say(`FAULT: ${fault}`)
  return faults.length === 0
}

const createScene = (values: ReturnType<typeof readOptions>): Promise<Scene> => {
  const { document, selfie } = values
  if (document === undefined || selfie === undefined) return inventScene(values.impostor)
  const frames = {
    TURN_LEFT: values['turn-left'],
    TURN_RIGHT: values['turn-right'],
    BLINK: values.blink,
    OPEN_MOUTH: values['open-mouth'],
    LOOK_UP: values['look-up'],
  }
  return loadScene({ document, selfie, document_back: values['document-back'] ?? null, frames })
}

function parseArguments() {
  try {
    return parseArgs({ options, allowPositionals: false })
  } catch (error) {
    throw new UsageError(asError(error).message)
  }
}

function readOptions() {
  const { values } = parseArguments()
  if ((values.document === undefined) !== (values.selfie === undefined))
    throw new UsageError('--document and --selfie belong together')
  return values
}

/** What watches a transaction on its chart, from another terminal. */
const inspectCommand = ({ environment }: ServiceProcess, transaction_id: string): string =>
  `DATABASE_URL='${environment.DATABASE_URL}' npm run inspect -- ${transaction_id}`

const verify = async (
  service: ServiceProcess,
  backend: Backend,
  scene: Scene,
  webhook_url: string,
): Promise<string> => {
  const { transaction_id, sdk_token } = await backend.openTransaction(webhook_url)
  say(`transaction ${transaction_id} is CREATED; watch it on its chart:\n  ${inspectCommand(service, transaction_id)}`)
  await capture(service.base_url, sdk_token, scene, line => say(`phone: ${line}`))
  return transaction_id
}

const run = async (values: ReturnType<typeof readOptions>): Promise<number> => {
  const folder = await mkdtemp(join(tmpdir(), 'attestor-demo-'))
  say('rendering the pictures …')
  const scene = await createScene(values)
  const integrator = await startIntegrator()
  const service = await startServiceProcess(folder, integrator)
  say(`Attestor listens on ${service.base_url}, its log is ${service.log_file}`)
  integrator.verifyWith(`${service.base_url}/.well-known/jwks.json`)
  const inspector = values.inspect ? await startInspector(service.environment, say) : null
  const stop = async (): Promise<void> => {
    await inspector?.stop()
    await service.stop()
    await integrator.stop()
    await rm(folder, { recursive: true })
  }
  try {
    const { seen, last } = collectWebhooks(integrator)
    const backend = await connectBackend(service.base_url, await createAccount(service.environment))
    const id = await verify(service, backend, scene, `${integrator.url}`)
    await withTimeout(last, 180_000)
    const transaction = await backend.readTransaction(id)
    print(transaction)
    const wanted = values.document !== undefined ? null : values.impostor ? 'REJECTED' : 'APPROVED'
    const complete = judge(transaction, seen, wanted)
    if (!values.once) {
      say(`\nStill up: ${service.base_url} (data and log in ${folder}). Stop with Ctrl-C.`)
      await new Promise<void>(resolve => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
      })
    }
    return complete ? 0 : 1
  } finally {
    await stop()
  }
}

const main = async (): Promise<number> => {
  try {
    const values = readOptions()
    if (!values.help) return await run(values)
    say(usage)
    return 0
  } catch (error) {
    console.error(error instanceof UsageError ? `${error.message}\n\n${usage}` : error)
    return 2
  }
}

process.exitCode = await main()

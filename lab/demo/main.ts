import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { SyntheticChip } from '@attestor/credentials/synthetic'
import { asError } from '../../src/base/api_error.ts'
import { type Account, type Backend, connectBackend } from './backend.ts'
import { chipFates, chipOutcomes, makeChip } from './chip.ts'
import { findLanAddress, type HttpsFront, startHttpsFront } from './https.ts'
import { inviteVisitors } from './invitation.ts'
import { inventPhotographs, loadPhotographs, type Photographs } from './people.ts'
import { capture } from './phone.ts'
import {
  type ConsoleLogin,
  createAccount,
  createConsoleLogin,
  type Integrator,
  importRoot,
  type ServiceProcess,
  startIntegrator,
  startServiceProcess,
} from './processes.ts'
import { collectWebhooks, type Expectation, judge, print, say } from './report.ts'
import { openSideBySide, type SideBySide } from './side_by_side.ts'

const usage = `npm run demo -- [--once] [--impostor] [--chip [forged|copied|unknown-state]]
npm run demo -- [--once] --document FILE [--document-back FILE] --selfie FILE
                [--turn-left FILE --turn-right FILE --blink FILE --open-mouth FILE --look-up FILE]

One verification, end to end, over HTTP and through the real models. Without photos a person and a passport are made
that belong to nobody. --impostor: another such person takes the selfie. --chip: the passport has a chip, which the
decision requires, and which may be false. --once: exit at the end, 0 only if everything
happened; otherwise it stays up, and you can verify yourself with a phone in the same network.`

const options = {
  once: { type: 'boolean', default: false },
  impostor: { type: 'boolean', default: false },
  chip: { type: 'boolean', default: false },
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

function choosePhotographs(values: ReturnType<typeof readOptions>): Promise<Photographs> {
  const { document, selfie } = values
  if (document === undefined || selfie === undefined) return inventPhotographs(values.impostor)
  const frames = {
    TURN_LEFT: values['turn-left'],
    TURN_RIGHT: values['turn-right'],
    BLINK: values.blink,
    OPEN_MOUTH: values['open-mouth'],
    LOOK_UP: values['look-up'],
  }
  return loadPhotographs({ document, selfie, document_back: values['document-back'] ?? null, frames })
}

function parseArguments() {
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(asError(error).message)
  }
}

function readOptions() {
  const { values, positionals } = parseArguments()
  const [word = 'genuine', ...more] = positionals
  const fate = chipFates.find(known => known === word)
  if (fate === undefined || more.length > 0 || (positionals.length > 0 && !values.chip))
    throw new UsageError(`${positionals.join(' ')}: is not understood`)
  if (values.chip && (values.document !== undefined || values.impostor))
    throw new UsageError('--chip is of the invented passport and its holder')
  if ((values.document === undefined) !== (values.selfie === undefined))
    throw new UsageError('--document and --selfie belong together')
  return { ...values, fate: values.chip ? fate : null }
}

/** The command depends on the demo's place: a clone, or the installed package. */
const inspect = import.meta.dirname.includes('node_modules') ? 'npx attestor inspect' : 'npm run inspect --'

/** Returns the command that watches a transaction on its chart, from another terminal. */
function inspectCommand({ environment }: ServiceProcess, transaction_id: string): string {
  return `DATABASE_URL='${environment.DATABASE_URL}' ${inspect} ${transaction_id}`
}

async function verify(
  service: ServiceProcess,
  backend: Backend,
  photographs: Photographs & { readonly chip: SyntheticChip | null },
  webhook_url: string,
): Promise<string> {
  const policy = photographs.chip === null ? 'IGNORE' : 'REQUIRE'
  const { transaction_id, sdk_token } = await backend.openTransaction(webhook_url, policy)
  say(`transaction ${transaction_id} is CREATED; watch it on its chart:\n  ${inspectCommand(service, transaction_id)}`)
  await capture(service.base_url, sdk_token, photographs, line => say(`phone: ${line}`))
  return transaction_id
}

/** Everything that runs beside the demo itself. */
interface Stage {
  readonly integrator: Integrator
  readonly front: HttpsFront | null
  readonly service: ServiceProcess
  readonly account: Account
  readonly chip: SyntheticChip | null
  stop(): Promise<void>
}

/** Describes the other servers that can be visited while the demo stays up. */
function describeStage({ integrator, service, account, front }: Stage, login: ConsoleLogin): string {
  const { base_url, log_file, environment } = service
  return `
Also up, on this machine only (Ctrl-C ends everything):
  integrator   ${integrator.url}, a sample of yours
  console      ${front?.url ?? base_url}/console, name ${login.name}, password ${login.password}, for the one-time code:
               ${login.totp_uri}
  reference    ${base_url}/docs
  charts       ${front?.url ?? base_url}/console/charts, with the same login; in Stately’s inspector:
               DATABASE_URL='${environment.DATABASE_URL}' ${inspect.replace(/ --$/, '')}
  API          ${base_url}, client_id ${account.client_id}, client_secret ${account.client_secret}
  log          ${log_file}`
}

function waitForSignal(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}

async function openStage({ once, fate }: ReturnType<typeof readOptions>): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'attestor-demo-'))
  const address = once ? null : findLanAddress()
  const front = address === null ? null : await startHttpsFront(address)
  const integrator = await startIntegrator()
  const service = await startServiceProcess(folder, integrator, front)
  say(`Attestor listens on ${service.base_url}, its log is ${service.log_file}`)
  const account = await createAccount(service.environment)
  const made = fate === null ? null : await makeChip(fate, folder)
  if (made?.root_file != null) await importRoot(service.environment, made.root_file)
  integrator.connect({ base_url: service.base_url, account })
  return {
    integrator,
    front,
    service,
    account,
    chip: made?.chip ?? null,
    async stop() {
      await front?.stop()
      await service.stop()
      await integrator.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** Returns the expected decision of a run, and the code of an issue; null for one's own photos. */
function findExpectation({ document, impostor, fate }: ReturnType<typeof readOptions>): Expectation | null {
  if (document !== undefined) return null
  if (fate !== null) return chipOutcomes[fate]
  return { decision: impostor ? 'REJECTED' : 'APPROVED', code: null }
}

/** Invites the person who runs the demo, and describes the other servers. */
async function openHouse(stage: Stage, backend: Backend): Promise<SideBySide> {
  const onEnd = async (id: string): Promise<void> => print(await backend.readTransaction(id))
  const { service, front, integrator } = stage
  const login = await createConsoleLogin(service.environment)
  say(describeStage(stage, login))
  const address = { listens: service.base_url, public_url: front?.url ?? service.base_url }
  const together = await openSideBySide({ integrator, service: address, login, now: Date.now })
  say(`\nAll of it on one page, without a login: ${together.url}`)
  await inviteVisitors({ backend, integrator, say, onEnd })
  return together
}

async function run(values: ReturnType<typeof readOptions>): Promise<number> {
  say('rendering the pictures …')
  const photographs = await choosePhotographs(values)
  const stage = await openStage(values)
  const { integrator, service, account } = stage
  let together: SideBySide | null = null
  try {
    const notified = collectWebhooks(integrator)
    const backend = await connectBackend(service.base_url, account)
    const stopped = waitForSignal()
    together = values.once ? null : await openHouse(stage, backend)
    const id = await verify(service, backend, { ...photographs, chip: stage.chip }, integrator.webhook_url)
    await notified.waitForEnd(id, 180_000)
    const transaction = await backend.readTransaction(id)
    print(transaction)
    const isComplete = judge(transaction, notified, findExpectation(values))
    if (!values.once) {
      say('\nYour own link is above. Stop with Ctrl-C.')
      await stopped
    }
    return isComplete ? 0 : 1
  } finally {
    await together?.stop()
    await stage.stop()
  }
}

async function main(): Promise<number> {
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

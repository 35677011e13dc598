/** The lifecycle as a workflow of DBOS on PostgreSQL: events by `send` and `recv`, whose time-outs are the timers. */
import { analysisDeadlineMs, type PeerEvent, ttlMs } from './chart.ts'
import { analyse, notify, readOptions, serve } from './contender.ts'
import { requirePackage } from './packages.ts'
import { startPostgres } from './postgres.ts'

/** The part of the SDK that is used here. */
interface Dbos {
  setConfig(config: object): void
  launch(): Promise<void>
  registerWorkflow<T extends (id: string) => Promise<unknown>>(workflow: T, options: { name: string }): T
  startWorkflow(
    workflow: (id: string) => Promise<unknown>,
    options: { workflowID: string },
  ): (id: string) => Promise<unknown>
  send(id: string, message: PeerEvent, topic: string): Promise<void>
  recv(topic: string, timeoutSeconds: number): Promise<PeerEvent | null>
  setEvent(name: string, value: string): Promise<void>
  getEvent(id: string, name: string, timeoutSeconds: number): Promise<string | null>
  runStep<T>(step: () => Promise<T>, options: { name: string; timeoutMS?: number }): Promise<T>
}

const { packages, data, hook } = readOptions()
const { DBOS } = requirePackage<{ DBOS: Dbos }>(packages, '@dbos-inc/dbos-sdk')

/** The workflow's position is its state; its status is an event that others may read. */
async function live(id: string): Promise<string> {
  await DBOS.setEvent('status', 'CREATED')
  const captures: string[] = []
  for (;;) {
    const event = await DBOS.recv('events', ttlMs / 1000)
    if (event === null) {
      await DBOS.setEvent('status', 'EXPIRED')
      return 'EXPIRED'
    }
    if (event.type === 'START') await DBOS.setEvent('status', 'INITIATED')
    else if (event.type === 'CAPTURE') captures.push(event.digest)
    else break
  }
  await DBOS.setEvent('status', 'PROCESSING')
  await DBOS.runStep(analyse, { name: 'analyse', timeoutMS: analysisDeadlineMs })
  await DBOS.setEvent('status', 'FINISHED')
  await DBOS.runStep(() => notify(hook, id), { name: 'notify' })
  await DBOS.setEvent('status', 'NOTIFIED')
  return 'NOTIFIED'
}

const { url, server } = await startPostgres(data)
process.once('exit', () => server.kill('SIGQUIT'))
process.once('SIGTERM', () => process.exit(0))
const quiet = { logLevel: 'error', runAdminServer: false }
DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, ...quiet })
const workflow = DBOS.registerWorkflow(live, { name: 'live' })
await DBOS.launch()

await serve({
  create: id => DBOS.startWorkflow(workflow, { workflowID: id })(id),
  send: (id, event) => DBOS.send(id, event, 'events'),
  readStatus: id => DBOS.getEvent(id, 'status', 0),
})

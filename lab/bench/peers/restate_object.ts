/** The lifecycle as a virtual object of Restate: one handler a transition, jobs in a service, both timers as delayed sends. */
import { freePort } from '../../../test/ports.ts'
import { analysisDeadlineMs, type PeerEvent, ttlMs } from './chart.ts'
import { analyse, notify, readOptions } from './contender.ts'
import { requirePackage } from './packages.ts'
import { startRestate } from './restate_server.ts'

interface PeerState {
  readonly status: string
  readonly captures: readonly string[]
  readonly decision: string
}

type Send = (parameter: unknown, options?: unknown) => void

/** The part of the SDK that is used here. */
interface Context {
  readonly key: string
  get(name: string): Promise<PeerState | null>
  set(name: string, state: PeerState): void
  run<T>(name: string, action: () => Promise<T>): Promise<T>
  objectSendClient(of: { name: string }, key: string): Record<'expire' | 'fail' | 'analysed' | 'notified', Send>
  serviceSendClient(of: { name: string }): Record<'analyse' | 'notify', Send>
}

type Handlers = Record<string, (context: Context, input: never) => Promise<unknown>>

interface Sdk {
  object(definition: { name: string; handlers: Handlers }): object
  service(definition: { name: string; handlers: Handlers }): object
  endpoint(): { bind(service: object): ReturnType<Sdk['endpoint']>; listen(port: number): Promise<number> }
  readonly rpc: { sendOpts(options: { delay: number }): unknown }
  readonly TerminalError: new (message: string) => Error
}

const options = readOptions()
const restate = requirePackage<Sdk>(options.packages, '@restatedev/restate-sdk')
const peer = { name: 'peer' }
const work = { name: 'work' }

function later(delay: number): unknown {
  return restate.rpc.sendOpts({ delay })
}

/** Changes the state if the object is in one of `from`. */
async function move(context: Context, from: readonly string[], change: Partial<PeerState>): Promise<boolean> {
  const state = await context.get('state')
  if (state === null || !from.includes(state.status)) return false
  context.set('state', { ...state, ...change })
  return true
}

async function complete(context: Context): Promise<boolean> {
  if (!(await move(context, ['INITIATED'], { status: 'PROCESSING' }))) return false
  context.serviceSendClient(work).analyse({ id: context.key })
  context.objectSendClient(peer, context.key).fail({}, later(analysisDeadlineMs))
  return true
}

async function capture(context: Context, digest: string): Promise<boolean> {
  const captures = (await context.get('state'))?.captures ?? []
  return move(context, ['INITIATED'], { captures: [...captures, digest] })
}

const object = restate.object({
  ...peer,
  handlers: {
    async create(context) {
      context.set('state', { status: 'CREATED', captures: [], decision: '' })
      // The timer will find the object in a later state, as is usual there: cancelling it would cost another call.
      context.objectSendClient(peer, context.key).expire({}, later(ttlMs))
    },
    async send(context, { event }: { event: PeerEvent }) {
      const isTaken =
        event.type === 'START'
          ? await move(context, ['CREATED'], { status: 'INITIATED' })
          : event.type === 'CAPTURE'
            ? await capture(context, event.digest)
            : await complete(context)
      if (!isTaken) throw new restate.TerminalError(`${event.type} is not possible`)
    },
    async analysed(context, { decision }: { decision: string }) {
      if (await move(context, ['PROCESSING'], { status: 'FINISHED', decision }))
        context.serviceSendClient(work).notify({ id: context.key })
    },
    notified: context => move(context, ['FINISHED'], { status: 'NOTIFIED' }),
    expire: context => move(context, ['CREATED', 'INITIATED'], { status: 'EXPIRED' }),
    fail: context => move(context, ['PROCESSING'], { status: 'FAILED' }),
    status: async context => (await context.get('state'))?.status ?? null,
  },
})

const service = restate.service({
  ...work,
  handlers: {
    async analyse(context, { id }: { id: string }) {
      context.objectSendClient(peer, id).analysed(await context.run('analyse', analyse))
    },
    async notify(context, { id }: { id: string }) {
      await context.run('notify', () => notify(options.hook, id))
      context.objectSendClient(peer, id).notified({})
    },
  },
})

const port = await freePort()
await restate.endpoint().bind(object).bind(service).listen(port)
await startRestate(options, port)

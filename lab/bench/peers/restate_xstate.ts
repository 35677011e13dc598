/** The bench's chart by Restate's own XState package. */
import type { AnyStateMachine } from 'xstate'
import { freePort } from '../../../test/ports.ts'
import { type PeerInput, peerMachine } from './chart.ts'
import { analyse, notify, readOptions } from './contender.ts'
import { requirePackage } from './packages.ts'
import { startRestate } from './restate_server.ts'

/** The part of the packages that is used here. */
interface Sdk {
  endpoint(): { bind(service: object): ReturnType<Sdk['endpoint']>; listen(port: number): Promise<number> }
}
interface Xstate {
  xstate(name: string, machine: AnyStateMachine): object
}
interface Promises {
  fromPromise(work: (given: { input: PeerInput }) => Promise<unknown>): never
}

const options = readOptions()
const { endpoint } = requirePackage<Sdk>(options.packages, '@restatedev/restate-sdk')
const { xstate } = requirePackage<Xstate>(options.packages, '@restatedev/xstate')
const { fromPromise } = requirePackage<Promises>(options.packages, '@restatedev/xstate/promise')

const machine = peerMachine.provide({
  actors: { analyse: fromPromise(analyse), notify: fromPromise(({ input }) => notify(options.hook, input.id)) },
})
const port = await freePort()
await endpoint().bind(xstate('peer', machine)).listen(port)
await startRestate(options, port)

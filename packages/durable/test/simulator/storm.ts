import type Database from 'better-sqlite3'
import type { Claims } from './check.ts'
import type { WorldDraws } from './draws.ts'
import type { CountFault } from './faults.ts'
import { type Build, type Node, noJobFaults, startNode } from './node.ts'
import type { Schedule } from './schedule.ts'
import { noServerFaults, type Servers } from './server.ts'
import { maxAheadMs, type Weather } from './weather.ts'

export interface StormParts {
  readonly schedule: Schedule
  readonly draws: WorldDraws
  readonly weather: Weather
  readonly database: Database.Database
  readonly servers: Servers | null
  readonly claims: Claims
  readonly createToken: () => string
  readonly onStart: (node: Node) => void
  readonly countFault: CountFault
}

/** The nodes of a world, and the trouble that they have until it heals. */
export interface Storm {
  listNodes(): readonly Node[]
  /** Maybe one more trouble. */
  blow(): void
  /** Ends all trouble: a node that lives goes on, and every other one starts again, as the newer build. */
  heal(): void
}

const outages = {
  isDown: 'a host is down',
  isReadOnly: 'a host is read-only',
  isFull: 'a full disk',
  ages: 'a fence is gone',
} as const

export function startStorm(parts: StormParts): Storm {
  const { schedule, weather, database, servers, claims, createToken, onStart, countFault } = parts
  const { trouble: draws, jobs } = parts.draws
  const nodes: { readonly node: Node; readonly build: Build }[] = []
  const sky = schedule.createLife('sky')
  let isOver = false
  let isDiskFull = false
  let started = 0

  const later = (halfSeconds: number, what: () => void): void => {
    sky.clock.setTimer(500 * (1 + draws.draw(halfSeconds)), () => {
      if (!isOver) what()
    })
  }
  const drawBuild = (): Build => (weather.isCalm || draws.chance(0.5) ? 2 : 1)
  const end = (index: number, fault: string): void => {
    nodes[index]?.node.life.end()
    countFault(fault)
    // A server learns of it later.
    later(10, () => servers?.dropDead())
    later(16, () => start(index, drawBuild()))
  }
  const start = (index: number, build: Build): void => {
    const aheadMs = isOver ? 0 : draws.draw(2) * weather.aheadMs
    const node = startNode(schedule.createLife(`node ${index}.${started++}`, aheadMs), {
      schedule,
      draws: jobs,
      build,
      slots: weather.slots,
      admits: weather.admits,
      runs: claims.runs,
      database: servers ?? database,
      createToken,
      countFault,
      jobFaults: () => (isOver ? noJobFaults : weather.jobs),
      isDiskFull: () => isDiskFull,
      crashes: point => {
        if (isOver || !draws.chance(weather.crashes)) return false
        // It ends at this very point; the rest follows when the world goes on.
        later(1, () => end(index, `crash at ${point}`))
        return true
      },
    })
    nodes[index] = { node, build }
    onStart(node)
  }
  const breakDatabase = (): void => {
    if (servers === null) {
      isDiskFull = true
      countFault('a full disk')
      later(10, () => {
        isDiskFull = false
      })
      return
    }
    const state = servers.states[draws.draw(servers.states.length)]
    if (state === undefined) return
    const kind = draws.pick(['isDown', 'isReadOnly', 'isFull', 'ages'] as const)
    countFault(outages[kind])
    if (kind === 'ages') {
      servers.ageFences()
      return
    }
    state[kind] = true
    later(30, () => {
      state[kind] = false
    })
  }

  for (let index = 0; index < weather.nodes; index++) start(index, drawBuild())
  return {
    listNodes: () => nodes.map(({ node }) => node).filter(({ life }) => life.isAlive()),
    blow() {
      if (!draws.chance(weather.trouble)) return
      const index = draws.draw(weather.nodes)
      const life = nodes[index]?.node.life
      if (life === undefined || !life.isAlive()) return
      const kind = draws.pick(weather.kinds)
      if (kind === 'pause' || kind === 'clock') countFault(kind)
      if (kind === 'crash') end(index, 'crash')
      else if (kind === 'pause') life.pausedUntil = schedule.now() + 500 * (1 + draws.draw(30))
      else if (kind === 'clock') life.aheadMs = draws.draw(maxAheadMs / 500 + 1) * 500
      else breakDatabase()
    },
    heal() {
      isOver = true
      isDiskFull = false
      if (servers !== null) {
        servers.faults = noServerFaults
        for (const state of servers.states) Object.assign(state, { isDown: false, isReadOnly: false, isFull: false })
      }
      for (const [index, { node, build }] of nodes.entries()) {
        node.life.pausedUntil = 0
        if (node.life.isAlive() && build === 2) continue
        node.life.end()
        start(index, 2)
      }
      servers?.dropDead()
    },
  }
}

import { existsSync, rmSync, statfsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import type { Program } from '../measure.ts'
import { cutOff, slowSyncs, unusable } from './machine.ts'
import type { FaultyNode } from './nodes.ts'

/** Three members, of which nodes use the first, and the nodes. */
export interface Stage {
  readonly members: Program
  /** Address of each member's database. */
  readonly urls: readonly string[]
  readonly nodes: readonly FaultyNode[]
  readonly random: () => number
}

export interface Fault {
  readonly name: string
  /** Causes the fault and repairs it. Resolves with the reason why it could not, or null. */
  run(stage: Stage): Promise<string | null>
}

async function ask(stage: Stage, question: string, more: object = {}): Promise<unknown> {
  const answer = await stage.members.ask<{ failed?: string } | string | null>(question, more)
  if (answer !== null && typeof answer === 'object' && answer.failed !== undefined) throw new Error(answer.failed)
  return answer
}

interface Member {
  readonly folder: string
  /** The port at which other members reach it. */
  readonly group: number
  readonly pid: number
}

async function memberAt(stage: Stage, index: number): Promise<Member> {
  return (await ask(stage, 'member', { index })) as Member
}

function someNode({ nodes, random }: Stage): FaultyNode {
  const node = nodes[Math.floor(random() * nodes.length)]
  if (node === undefined) throw new Error('there is no node')
  return node
}

async function statement(stage: Stage, index: number, sql: string): Promise<void> {
  const connection = await mysql.createConnection({ uri: stage.urls[index] ?? '', connectTimeout: 5000 })
  await connection.query(sql)
  await connection.end()
}

/** Pauses between `from` and `to` milliseconds. */
function between({ random }: Stage, from: number, to: number): Promise<void> {
  return pause(from + random() * (to - from))
}

const nodeKilled: Fault = {
  name: 'a node is killed',
  async run(stage) {
    const node = someNode(stage)
    node.kill()
    await between(stage, 0, 500)
    await node.ready()
    return null
  },
}

const nodeHung: Fault = {
  name: 'a node hangs (SIGSTOP)',
  async run(stage) {
    const node = someNode(stage)
    node.signal('SIGSTOP')
    await between(stage, 6_000, 9_000)
    node.signal('SIGCONT')
    return null
  },
}

const writerKilled: Fault = {
  name: 'the writer member is killed',
  async run(stage) {
    await ask(stage, 'kill', { index: 0 })
    await between(stage, 4_000, 8_000)
    await ask(stage, 'start', { index: 0 })
    return null
  },
}

const writerHung: Fault = {
  name: 'the writer member hangs (SIGSTOP)',
  async run(stage) {
    await ask(stage, 'signal', { index: 0, signal: 'SIGSTOP' })
    await between(stage, 10_000, 14_000)
    await ask(stage, 'signal', { index: 0, signal: 'SIGCONT' })
    return null
  },
}

const writerHungShortly: Fault = {
  name: 'the writer member hangs for a moment, and its commits arrive late',
  async run(stage) {
    await ask(stage, 'signal', { index: 0, signal: 'SIGSTOP' })
    await between(stage, 1_500, 3_500)
    await ask(stage, 'signal', { index: 0, signal: 'SIGCONT' })
    await between(stage, 4_000, 5_000)
    return null
  },
}

const otherHung: Fault = {
  name: 'another member hangs (SIGSTOP)',
  async run(stage) {
    await ask(stage, 'signal', { index: 2, signal: 'SIGSTOP' })
    await between(stage, 8_000, 10_000)
    await ask(stage, 'signal', { index: 2, signal: 'SIGCONT' })
    return null
  },
}

const allKilled: Fault = {
  name: 'all members are killed, and the one that has most begins again',
  async run(stage) {
    for (const index of [0, 1, 2]) await ask(stage, 'kill', { index })
    await between(stage, 1_000, 2_000)
    await ask(stage, 'restartAll')
    return null
  },
}

const readOnly: Fault = {
  name: 'the writer member is read-only',
  async run(stage) {
    await statement(stage, 0, 'SET GLOBAL read_only = 1')
    await between(stage, 5_000, 8_000)
    await statement(stage, 0, 'SET GLOBAL read_only = 0')
    return null
  },
}

function clockOff(words: string, ms: number): Fault {
  return {
    name: `a node’s clock is three minutes ${words}`,
    async run(stage) {
      const node = someNode(stage)
      node.setClock(ms)
      await pause(1000)
      await node.ready()
      await between(stage, 4_000, 8_000)
      node.setClock(0)
      await pause(1000)
      await node.ready()
      return null
    },
  }
}

function writerClockOff(words: string, aheadMs: number): Fault {
  return {
    name: `the writer member’s clock is three minutes ${words}`,
    async run(stage) {
      if (!(await ask(stage, 'canSetClocks'))) return 'libfaketime is not installed'
      for (const ahead of [aheadMs, 0]) {
        await ask(stage, 'kill', { index: 0 })
        // The others must have parted with it before it comes back.
        await between(stage, 4_000, 8_000)
        await ask(stage, 'start', { index: 0, aheadMs: ahead })
        // Nodes write to it again when it was well for half a minute.
        if (ahead !== 0) await between(stage, 40_000, 45_000)
      }
      return null
    },
  }
}

const diskFull: Fault = {
  name: 'the writer member’s disk is full',
  async run(stage) {
    const { folder } = await memberAt(stage, 0)
    const { type } = statfsSync(folder)
    const isTmpfs = type === 0x01021994
    if (!isTmpfs) return 'nobody may mount a disk here'
    const filler = join(folder, 'filler')
    const file = await open(filler, 'w')
    const block = Buffer.alloc(1 << 20)
    try {
      for (;;) await file.write(block)
    } catch {
      // It is full now.
    }
    await file.close()
    await between(stage, 6_000, 9_000)
    if (existsSync(filler)) rmSync(filler)
    await pause(2000)
    // A member that could not write the others' commits has left for good.
    await ask(stage, 'kill', { index: 0 })
    await ask(stage, 'start', { index: 0 })
    return null
  },
}

/** Nodes still reach the member, which has no majority any more; the two others go on. */
const writerSeparated: Fault = {
  name: 'the writer member is separated from the others',
  async run(stage) {
    const without = unusable('iptables', '-S', 'INPUT') ?? unusable('ss', '-V')
    if (without !== null) return without
    const [writer, ...others] = await Promise.all([0, 1, 2].map(index => memberAt(stage, index)))
    if (writer === undefined) throw new Error('there is no writer')
    const join = await cutOff(
      writer.pid,
      writer.group,
      others.map(({ group }) => group),
    )
    try {
      await between(stage, 10_000, 14_000)
    } finally {
      await join()
    }
    await between(stage, 6_000, 8_000)
    return null
  },
}

const diskSlow: Fault = {
  name: 'the writer member’s disk is slow: a sync takes 0.4 s more',
  async run(stage) {
    const without = unusable('strace', '-V')
    if (without !== null) return without
    const { pid } = await memberAt(stage, 0)
    // Each commit waits for the disk, where this cluster otherwise syncs once a second.
    await statement(stage, 0, 'SET GLOBAL innodb_flush_log_at_trx_commit = 1')
    const end = await slowSyncs(pid, 400)
    try {
      await between(stage, 10_000, 14_000)
    } finally {
      await end()
      await statement(stage, 0, 'SET GLOBAL innodb_flush_log_at_trx_commit = 2')
    }
    return null
  },
}

/** Every fault, in the order of the table that is printed. */
export const faults: readonly Fault[] = [
  nodeKilled,
  nodeHung,
  writerKilled,
  writerHung,
  writerHungShortly,
  otherHung,
  readOnly,
  clockOff('behind', -180_000),
  clockOff('ahead', 180_000),
  writerClockOff('behind', -180_000),
  writerClockOff('ahead', 180_000),
  diskFull,
  diskSlow,
  writerSeparated,
  allKilled,
]

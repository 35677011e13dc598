import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import type { DatabaseAddress } from 'durable-xstate-sql'

/** Describes the machine on which figures were taken; its load shows other programs. */
export function machine(): string {
  const [processor] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const load = loadavg()[0]?.toFixed(1)
  return `${cpus().length} × ${processor?.model ?? 'unknown'}, ${memory} GiB, Node ${process.version}, load ${load}`
}

/** The middle one of several rounds. */
export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** The value that so great a share of all does not exceed: 0 is the least, 1 the greatest. */
export function percentile(values: readonly number[], share: number): number {
  return [...values].sort((one, other) => one - other)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN
}

/** The median, and the extremes. */
export function spread(values: readonly number[], digits: number): string {
  const shown = (value: number): string => value.toFixed(digits)
  return `${shown(median(values))} (${shown(Math.min(...values))}–${shown(Math.max(...values))})`
}

/** Columns padded to their widest cell, the first row underlined. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
  const [head = [], ...body] = rows.map(line)
  return [head, '-'.repeat(head.length), ...body].join('\n')
}

/** A program of this folder in a process of its own, that is asked and answers by messages. */
export interface Program {
  ask<T>(question: string, more?: object): Promise<T>
  end(): Promise<void>
}

/** The answer to one question: several may be asked at once. */
interface Answer {
  readonly id: number
  readonly answer: unknown
}

/** Starts `file` with its settings; its log goes nowhere, as a pipe that nobody reads would stop it. */
export function startProgram(file: string, settings: Readonly<Record<string, string>>): Program {
  const child: ChildProcess = fork(join(import.meta.dirname, file), [], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let asked = 0
  child.on('message', ({ id, answer }: Answer) => {
    waiting.get(id)?.resolve(answer)
    waiting.delete(id)
  })
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} ended`))
  })
  return {
    async ask<T>(question: string, more: object = {}) {
      const id = asked++
      const answered = Promise.withResolvers<unknown>()
      waiting.set(id, answered)
      child.send({ ...more, question, id })
      return (await answered.promise) as T
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill()
      await gone
    },
  }
}

/** Answers the questions of the process that started this one. */
export function answerQuestions(answers: Readonly<Record<string, (more: never) => unknown>>): void {
  process.on('message', async (message: { question: string; id: number }) => {
    const answer = (await answers[message.question]?.(message as never)) ?? null
    process.send?.({ id: message.id, answer } satisfies Answer)
  })
}

/** proc_pid_stat(5): ticks of user and system, of which Linux counts 100 a second. */
function cpuOf(pid: string | number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** CPU milliseconds that this process has used, its threads included. */
export function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** CPU milliseconds that a process has used, without its children; Linux only. */
export function processCpuMilliseconds(pid: number): number {
  return cpuOf(pid)
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap(task =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  } catch {
    // It has ended.
    return []
  }
}

/** proc_pid_stat(5): its own ticks, and those of the children that have ended and were waited for. */
function spentCpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]) * 10, 0)
  } catch {
    return 0
  }
}

/** Returns the CPU milliseconds of a process and all its descendants, running and ended; Linux only. */
export function treeCpuMilliseconds(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + treeCpuMilliseconds(child), spentCpuOf(pid))
}

/** A database as `DATABASE_URL` names it. */
export function urlOf(address: DatabaseAddress): string {
  return address.dialect === 'sqlite'
    ? `sqlite:${address.file}`
    : `mysql://${address.user}:${address.password}@${address.host}:${address.port}/${address.database}`
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A test file: by the clock, and in CPU seconds of itself and of the processes that it started and waited for. */
export interface FileCost {
  readonly file: string
  readonly wallSeconds: number
  readonly cpuSeconds: number
}

/** Highest cost of a file of the quick tier, in CPU seconds of a machine that takes `calibrationSeconds`. */
const maxCpuSeconds = 10
const calibrationSeconds = 0.25
const clockTicks = 100
const shown = 240
const root = join(import.meta.dirname, '..')

interface ProcessTimes {
  readonly parent: number
  /** User and system time of the process and of its ended children (proc(5), fields 14 to 17). */
  readonly cpuSeconds: number
}

function readTimes(name: string): ProcessTimes {
  const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0)
  return { parent: Number(fields[1]), cpuSeconds: ticks / clockTicks }
}

/** Null for a process that ended since it was listed: its parent counts it. */
function readOther(name: string): ProcessTimes | null {
  try {
    return readTimes(name)
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

/** Whether the system has /proc: others report the time of this process, and not that of its children. */
const hasProc = existsSync('/proc/self/stat')

function readOwnCpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return hasProc ? readTimes('self').cpuSeconds : (user + system) / 1e6
}

/** Processes that were found not to be below this one: reading all of a busy machine each time would take its own share. */
const others = new Set<string>()

/** CPU seconds of this process and of all below it, whether they ended or not. */
export function readTreeCpuSeconds(): number {
  if (!hasProc) return readOwnCpuSeconds()
  const names = new Set(readdirSync('/proc').filter(name => /^\d+$/.test(name)))
  for (const name of others) if (!names.has(name)) others.delete(name)
  const times = new Map<number, ProcessTimes>()
  for (const name of names) {
    const found = others.has(name) ? null : readOther(name)
    if (found !== null) times.set(Number(name), found)
  }
  const isBelow = (id: number): boolean => id === process.pid || (times.has(id) && isBelow(times.get(id)?.parent ?? 0))
  let sum = 0
  for (const [id, { cpuSeconds }] of times)
    if (isBelow(id)) sum += cpuSeconds
    else others.add(String(id))
  return sum
}

export function costSince(startedAt: number): Omit<FileCost, 'file'> {
  return {
    wallSeconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: readOwnCpuSeconds(),
  }
}

/** Returns the factor by which this machine is slower than the one that the limit was set on; at least 1. */
function measureSlowness(): number {
  const before = process.cpuUsage()
  let sum = 0
  for (let step = 0; step < 1e7; step++) sum = (sum + step * step) % 1_000_003
  const { user, system } = process.cpuUsage(before)
  return sum < 0 ? 1 : Math.max(1, (user + system) / 1e6 / calibrationSeconds)
}

function rows(title: string, lines: readonly string[]): void {
  console.log([`# ${title}`, ...lines].join('\n#   '))
}

function seconds(value: number): string {
  return value.toFixed(1).padStart(6)
}

/** `…  ✔ a title (1.2s)`, ava's line about a slow test. */
const slowTest = /^\s*[✔✘] (.*) \((?:(\d+)m )?([\d.]+)(m?s)\)$/u

/** Collects the lines of a run. */
export function openProfile() {
  const tests: { title: string; took: number }[] = []
  return {
    read(line: string): void {
      const [, title = '', minutes = '0', value = '0', unit] = slowTest.exec(line) ?? []
      if (unit !== undefined)
        tests.push({ title, took: Number(minutes) * 60 + Number(value) / (unit === 'ms' ? 1000 : 1) })
    },
    /** Returns the files that cost more than a file of the quick tier may; `prints` the slowest ones. */
    end(file: string, prints: boolean): readonly string[] {
      // There is no file if the run was stopped before any file ended.
      const costs = (existsSync(file) ? readFileSync(file, 'utf8') : '')
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line) as FileCost)
        .map(cost => ({ ...cost, file: relative(root, fileURLToPath(cost.file)) }))
        .sort((a, b) => b.cpuSeconds - a.cpuSeconds)
      const line = ({ file, cpuSeconds, wallSeconds }: FileCost): string =>
        `${seconds(cpuSeconds)} ${seconds(wallSeconds)}  ${file}`
      if (prints) {
        rows(`${costs.length} files, ${readTreeCpuSeconds().toFixed(0)} CPU seconds in all`, [])
        rows('the slowest files: CPU seconds, seconds by the clock', costs.slice(0, shown).map(line))
        const slowest = tests.sort((a, b) => b.took - a.took).slice(0, shown)
        rows(
          'the slowest tests: seconds by the clock',
          slowest.map(({ title, took }) => `${seconds(took)}  ${title}`),
        )
      }
      const slowness = measureSlowness()
      return costs.filter(({ cpuSeconds }) => cpuSeconds > maxCpuSeconds * slowness).map(line)
    },
  }
}

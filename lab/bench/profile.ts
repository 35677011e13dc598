import { type Profiler, Session } from 'node:inspector/promises'

/** Parts of the work, with the frames of each: the innermost frame that a part knows decides. */
const parts: readonly (readonly [part: string, known: (frame: Profiler.ProfileNode['callFrame']) => boolean])[] = [
  ['waiting', ({ functionName }) => functionName === '(idle)'],
  ['garbage', ({ functionName }) => functionName === '(garbage collector)'],
  ['commit', ({ functionName, url }) => functionName === 'flush' && url.endsWith('/packages/durable/store/sqlite.ts')],
  ['SQL', ({ url }) => /\/packages\/durable\/store\/|better-sqlite3|\/mysql2\/|\/sql-escaper\/|\/denque\//.test(url)],
  ['step', ({ url }) => /\/packages\/durable\/actors\/xstate\.ts|\/xstate\/|\/machines\//.test(url)],
  ['host', ({ url }) => url.includes('/packages/durable/actors/')],
  ['image check', ({ url }) => /\/src\/engines\/(images|processes)\/|\/sharp\//.test(url)],
  [
    'sealing',
    ({ url }) =>
      /\/src\/base\/(encryption|ids)\.ts|\/src\/verification\/captures\/|\/src\/identity\/keys\/|internal\/crypto/.test(
        url,
      ),
  ],
  ['validation', ({ url }) => /\/zod\/|\/src\/http\/(fields|body|steps|shapes\/\w+)\.ts/.test(url)],
  ['log', ({ url }) => /\/pino|\/sonic-boom\/|\/src\/base\/log\.ts|safe-stable-stringify/.test(url)],
  ['worker', ({ url }) => /\/packages\/durable\/jobs\/|\/src\/webhooks\/|\/src\/verification\/analysis\//.test(url)],
  ['transactions', ({ url }) => /\/src\/(verification|identity)\//.test(url)],
  ['HTTP and Koa', ({ url }) => /\/src\/http\/|\/koa|\/@koa\/|node:_?http/.test(url)],
]

function partOf(path: readonly Profiler.ProfileNode['callFrame'][]): string {
  for (const frame of path.toReversed()) {
    const part = parts.find(([, known]) => known(frame))
    if (part !== undefined) return part[0]
  }
  return 'Node and rest'
}

/** Time in milliseconds by part, and by the frames that took the most themselves. */
export interface TimeByPart {
  readonly parts: Readonly<Record<string, number>>
  readonly frames: readonly (readonly [frame: string, ms: number])[]
}

function summarise({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): TimeByPart {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const parentOf = new Map(nodes.flatMap(node => (node.children ?? []).map(child => [child, node.id] as const)))
  const self = new Map<number, number>()
  for (const [index, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + (timeDeltas[index] ?? 0) / 1000)
  const total: Record<string, number> = {}
  const frames = new Map<string, number>()
  for (const [id, ms] of self) {
    // The profiler's own start is no work of the program's.
    if (byId.get(id)?.callFrame.url === 'node:inspector') continue
    const path: Profiler.ProfileNode['callFrame'][] = []
    for (let at: number | undefined = id; at !== undefined; at = parentOf.get(at)) {
      const frame = byId.get(at)?.callFrame
      if (frame !== undefined) path.unshift(frame)
    }
    const part = partOf(path)
    total[part] = (total[part] ?? 0) + ms
    const own = path.at(-1)
    const name = `${own?.functionName || '(anonymous)'} ${own?.url.replace(/^.*\/(node_modules|src)\//, '') ?? ''}`
    frames.set(name, (frames.get(name) ?? 0) + ms)
  }
  return { parts: total, frames: [...frames].sort((a, b) => b[1] - a[1]).slice(0, 40) }
}

/** Begins to profile this process; the returned function ends that and returns the time by part. */
export async function startProfile(): Promise<() => Promise<TimeByPart>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 500 })
  await session.post('Profiler.start')
  return async () => {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    return summarise(profile)
  }
}

/** The parts in percent, the largest first. */
export function shares({ parts }: TimeByPart): string {
  const total = Object.values(parts).reduce((sum, ms) => sum + ms, 0)
  const largestFirst = Object.entries(parts).sort((one, other) => other[1] - one[1])
  return largestFirst.map(([part, ms]) => `${part} ${((ms / total) * 100).toFixed(0)} %`).join(', ')
}

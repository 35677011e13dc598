/** The node that `feedback.ts` measures: a process of its own, so that nobody's images but its own are in its memory. */
import { readFileSync } from 'node:fs'
import { openLocalNode } from './local_node.ts'
import { answerQuestions, cpuMilliseconds, treeCpuMilliseconds } from './measure.ts'

const local = await openLocalNode(process.env)

/**
 * Returns the bytes that this process has read and written (proc_pid_io(5)), of files, pipes and sockets alike; Linux
 * only.
 */
function readAndWritten(): number {
  const counters = readFileSync('/proc/self/io', 'utf8')
  const [read = 0, written = 0] = ['rchar', 'wchar'].map(name => Number(counters.match(`${name}: (\\d+)`)?.[1]))
  return read + written
}

/** The CPU and bytes that were used so far, including those of running and ended children. */
export interface Usage {
  readonly cpu_ms: number
  readonly own_cpu_ms: number
  readonly moved: number
}

answerQuestions({
  ready: () => ({ url: local.node.url }),
  open: async () => ({ token: await local.open() }),
  usage: (): Usage => ({
    cpu_ms: treeCpuMilliseconds(process.pid),
    own_cpu_ms: cpuMilliseconds(),
    moved: readAndWritten(),
  }),
  kept: async () => {
    const sql = "SELECT COALESCE(SUM(byte_count), 0) AS kept FROM captures WHERE kind = 'findings'"
    const [row] = await local.node.service.store.read({ sql, values: [] })
    return { bytes: Number(row?.kept) }
  },
  stop: () => local.node.stop(),
})

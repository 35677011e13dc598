import { type Clock, systemClock } from '../base/clock.ts'
import type { Output } from './command.ts'

/** Shows how far a long step is. */
export interface Progress {
  readonly report: (text: string) => void
  /** Clears the line. */
  done(): void
}

/** A step that takes less shows no progress. */
const quietMs = 2000
const everyMs = 200

/** A line on stderr that is overwritten as work goes on. Nothing is written if stderr is no terminal. */
export function createProgress(stream: Output, clock: Pick<Clock, 'monotonic'> = systemClock): Progress {
  let next = clock.monotonic() + quietMs
  let isShown = false
  return {
    report(text) {
      if (stream.isTTY !== true || clock.monotonic() < next) return
      next = clock.monotonic() + everyMs
      isShown = true
      stream.write(`\r\u001b[2K${text}`)
    },
    done() {
      if (isShown) stream.write('\r\u001b[2K')
      isShown = false
    },
  }
}

/** Runs `work` with a line of progress that is gone afterwards. */
export async function withProgress<T>(stderr: Output, work: (report: Progress['report']) => Promise<T>): Promise<T> {
  const progress = createProgress(stderr)
  try {
    return await work(progress.report)
  } finally {
    progress.done()
  }
}

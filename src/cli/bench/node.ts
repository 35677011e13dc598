import { fork } from 'node:child_process'
import { once } from 'node:events'
import { ApiError } from '../../base/api_error.ts'
import { pause, systemClock } from '../../base/clock.ts'
import type { Config } from '../../config/settings.ts'

/** A node that runs in a process of its own. */
export interface BenchNode {
  readonly url: string
  stop(): Promise<void>
}

const readyWithinMs = 60_000

const fail = (reason: string): never => {
  throw new ApiError('unavailable', `bench: ${reason}`)
}

const waitUntilReady = async (url: string): Promise<void> => {
  const until = systemClock.monotonic() + readyWithinMs
  while (!(await fetch(`${url}/readyz`)).ok) {
    if (systemClock.monotonic() > until) fail('a node was not ready within a minute')
    await pause(100)
  }
}

/** It is killed when `over` is aborted. @throws {ApiError} `unavailable` where it does not start */
export const startBenchNode = async (config: Config, over: AbortSignal): Promise<BenchNode> => {
  const child = fork(new URL('./child.ts', import.meta.url), {
    serialization: 'advanced',
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  const ended = once(child, 'exit')
  const kill = (): void => void child.kill('SIGKILL')
  over.addEventListener('abort', kill, { once: true })
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    // If the node is gone already, all is well.
    child.send('stop', () => {})
    await ended
    over.removeEventListener('abort', kill)
  }
  child.send(config)
  const [message] = await Promise.race([once(child, 'message'), ended.then(() => [{ failed: 'a node ended' }])])
  const { url, failed } = message as { readonly url?: string; readonly failed?: string }
  if (url === undefined) {
    child.kill()
    return fail(failed ?? 'a node did not start')
  }
  try {
    await waitUntilReady(url)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, stop }
}

import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { CrashPoint } from 'durable-xstate-sql/testing'
import { freePort } from '../../../test/ports.ts'
import { type Program, startChild } from '../../../test/service/programs.ts'
import type { Environment } from './nodes.ts'

/** The service on one port: one life after the other, each loaded while the one before lives. */
export interface Lives {
  readonly url: string
  /** The current life, or the one that has just died. */
  readonly now: () => Program
  /** @throws {Error} where this life dies before, or is not ready in a minute */
  ready(): Promise<void>
  /** Makes this life die when it reaches a point for the nth time from now on. */
  arm(instant: CrashPoint, nth: number): Promise<void>
  /** Waits for the end of this life, and begins the next. @throws {Error} where it was not killed */
  next(): Promise<void>
  /** Errors that any life logged. */
  readonly errors: string[]
  stop(): Promise<void>
}

const patienceMs = 60_000

function load(environment: Environment) {
  const program = startChild(environment, 0, 'real', 'waits')
  return { program, loaded: once(program.child, 'message') }
}

export async function startLives(settings: Environment): Promise<Lives> {
  const port = await freePort()
  const environment = { ...settings, PORT: String(port) }
  const errors: string[] = []
  let spare = load(environment)
  const begin = async (): Promise<Program> => {
    const { program, loaded } = spare
    spare = load(environment)
    await loaded
    program.child.send('begin')
    return program
  }
  let life = await begin()
  const logged = (): string[] => life.lines.filter(line => line.includes('"level":"error"'))
  const ready = async (): Promise<void> => {
    const late = pause(patienceMs, null, { ref: false })
    if ((await Promise.race([life.ready(), late])) === null)
      throw new Error(`a life is not ready: ${[...life.lines.slice(-5), life.stderr().slice(-1000)].join('\n')}`)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    now: () => life,
    ready,
    errors,
    async arm(instant, nth) {
      await ready()
      const armed = once(life.child, 'message')
      life.child.send({ instant, nth })
      await armed
    },
    async next() {
      const how = await life.ended
      errors.push(...logged())
      if (how !== 'SIGKILL') throw new Error(`a life ended with ${how}: ${life.stderr().slice(-1000)}`)
      life = await begin()
    },
    async stop() {
      for (const { child, ended } of [spare.program, life]) {
        child.kill('SIGKILL')
        await ended
      }
      errors.push(...logged())
    },
  }
}

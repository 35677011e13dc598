import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Case, Outcome } from './cases.ts'

const program = fileURLToPath(new URL('child.ts', import.meta.url))

/** Called after each case with the outcomes so far, and the number of all cases. */
export type Progress = (done: ReadonlyMap<number, Outcome>, of: number) => void

/** Lets one child work off the shared list until it is empty. Rejects if the child dies: a bench has no poison. */
async function work(
  child: ChildProcess,
  next: () => Case | undefined,
  take: (outcome: Outcome) => void,
): Promise<void> {
  const died = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`a measuring child ended with ${code ?? signal}`)
  })
  died.catch(() => {})
  for (let one = next(); one !== undefined; one = next()) {
    const answer = once(child, 'message')
    child.send(one)
    const [said] = (await Promise.race([answer, died])) as [Outcome]
    take(said)
  }
}

/** The limits of a run: the number of children, and the minutes in which new cases are begun. */
export interface Run {
  readonly processes: number
  readonly minutes: number
  readonly progress: Progress
}

/**
 * Measures the cases in children; the outcomes come in the order of the cases, however many children there are. When
 * the time is up, the cases not yet begun are left out: those at the end of the list.
 */
export async function runCases(cases: readonly Case[], { processes, minutes, progress }: Run): Promise<Outcome[]> {
  const end = performance.now() + minutes * 60_000
  const outcomes = new Map<number, Outcome>()
  let taken = 0
  const next = (): Case | undefined => (performance.now() < end ? cases[taken++] : undefined)
  const take = (outcome: Outcome): void => {
    outcomes.set(outcome.seed, outcome)
    progress(outcomes, cases.length)
  }
  const children = Array.from({ length: Math.min(processes, cases.length) }, () => fork(program))
  try {
    await Promise.all(children.map(child => work(child, next, take)))
  } finally {
    for (const child of children) child.kill()
  }
  return cases.flatMap(one => outcomes.get(one.seed) ?? [])
}

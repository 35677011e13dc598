/** Counts a fault of that kind. */
export type CountFault = (kind: string, times?: number) => void

/** The faults that came, by kind. */
export function createFaultCount() {
  const counts = new Map<string, number>()
  const count: CountFault = (kind, times = 1) => void counts.set(kind, (counts.get(kind) ?? 0) + times)
  return { counts, count }
}

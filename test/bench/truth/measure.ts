import type { Case, Kind, Outcome } from './cases.ts'
import { measureZone } from './mrz_case.ts'

const measures: Readonly<Partial<Record<Kind, (one: Case) => Promise<Outcome>>>> = { mrz: measureZone }

/** Makes a case and measures it. */
export const measure = (one: Case): Promise<Outcome> => {
  const found = measures[one.kind]
  if (found === undefined) throw new Error(`nothing measures ${one.kind}`)
  return found(one)
}

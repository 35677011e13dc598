import type { Case, Kind, Outcome } from './cases.ts'
import { measureDocument } from './document_case.ts'
import { measureSelfie } from './face_case.ts'
import { measureLiveness } from './liveness_case.ts'
import { measureZone } from './mrz_case.ts'

const measures: Readonly<Record<Kind, (one: Case) => Promise<Outcome>>> = {
  mrz: measureZone,
  document: measureDocument,
  face: measureSelfie,
  liveness: measureLiveness,
}

/** Makes a case and measures it. */
export function measure(one: Case): Promise<Outcome> {
  return measures[one.kind](one)
}

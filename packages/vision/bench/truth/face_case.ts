import type { FaceTemplate } from '@attestor/rules'
import { getFaceLimits } from '../../face/comparison.ts'
import { measureFaceDistance } from '../../face/embedding.ts'
import { mobileFaceNet } from '../../face/mobile_face_net.ts'
import type { Case, Outcome } from './cases.ts'
import { look } from './engine.ts'
import { headOf, selfieOf } from './heads.ts'

const limits = getFaceLimits(mobileFaceNet, '0.001')

/** Measures a selfie under a condition: found, usable, and its template for the pairs. */
export async function measureSelfie(one: Case): Promise<Outcome> {
  // Each head in turn, each with all conditions.
  const head = headOf(Math.imul(one.seed, 0x9e3779b1) >>> 8)
  return { ...one, ...(await selfieOutcome(await selfieOf(head, {}, one), String(head))) }
}

/** Returns the engine's findings in a selfie of `person`. */
export async function selfieOutcome(
  selfie: Buffer,
  person: string,
): Promise<Pick<Outcome, 'checks' | 'cpu_ms' | 'detail'>> {
  const { face, stages } = await look({ transaction_type: 'BIOMETRIC_ONLY', selfie })
  return {
    checks: { found: face?.faces_in_selfie === 1, usable: face?.usable === true },
    cpu_ms: stages,
    detail: {
      person,
      faults: (face?.quality ?? []).flatMap(({ name, score, passed }) => (passed ? [] : [{ name, score }])),
      template: face?.template ?? null,
    },
  }
}

function isPlain({ condition }: Outcome): boolean {
  return condition === 'typical' || condition === 'clean'
}

/**
 * Names the condition of a pair: that of the less plain selfie, as a service would have enrolled the plainer one. Two
 * that are both special, and differ, are a kind of their own.
 */
function pairCondition(one: Outcome, other: Outcome): string {
  if (isPlain(one)) return other.condition
  return isPlain(other) || one.condition === other.condition ? one.condition : 'mixed'
}

/** Compares two selfies as an enrolled face and a new one are. */
function pairOf(one: Outcome, other: Outcome): Outcome | null {
  const [first, second] = [one.detail.template, other.detail.template] as (FaceTemplate | null)[]
  if (!first || !second) return null
  const distance = measureFaceDistance(first, second)
  const same = one.detail.person === other.detail.person
  const passed = distance <= limits.accept_below
  const rejected = distance > limits.reject_above
  return {
    ...one,
    kind: 'pair',
    condition: pairCondition(one, other),
    checks: {
      same_not_passed: same ? !passed : null,
      same_rejected: same ? rejected : null,
      other_passed: same ? null : passed,
      other_not_rejected: same ? null : !rejected,
    },
    cpu_ms: {},
    detail: {
      seeds: [one.seed, other.seed],
      conditions: [one.condition, other.condition],
      group: one.detail.group === other.detail.group ? one.detail.group : undefined,
      distance: Number(distance.toFixed(6)),
    },
  }
}

/** Compares every two selfies that are usable. */
export function allPairs(selfies: readonly Outcome[]): Outcome[] {
  return selfies.flatMap((one, at) => selfies.slice(at + 1).flatMap(other => pairOf(one, other) ?? []))
}

import type { ReplayFingerprint } from '@attestor/rules'
import { pictureCopies } from '../face/picture_code.ts'
import { seeded } from '../synthetic/random.ts'

const { below } = seeded(9)
const planes = Uint8Array.from({ length: pictureCopies.planeBytes }, () => below(256))

/** Returns whether a search among an account's codes examines a kept picture at all, and then takes it for a copy. */
export function searchPicture(
  taken: ReplayFingerprint,
  kept: ReplayFingerprint,
): { readonly sharesBand: boolean; readonly isCandidate: boolean; readonly isFound: boolean } {
  const { bands, copies } = pictureCopies.code(taken, planes)
  const other = pictureCopies.code(kept, planes).bands
  const sharesBand = copies.some((values, n) => values.includes(other[n] ?? -1))
  const isCandidate = sharesBand && pictureCopies.countDifferentBits(bands, other) <= pictureCopies.maxDifferentBits
  return { sharesBand, isCandidate, isFound: isCandidate && pictureCopies.areCopies(taken, kept) }
}

import { hasGuidance, openFullGuide, startLoading } from './full_guide.ts'
import type { Guide, GuideSubject, PictureLimits } from './guide.ts'
import { openPlainGuide } from './plain_guide.ts'

const usualLimits: PictureLimits = { max_bytes: 10_485_760, max_megapixels: 200 }

/** Opens a guide; a plain one where a full one can't be. Keep the guide to a face for all its goals: it knows the selfie. */
export async function openGuide(subject: GuideSubject, limits: PictureLimits = usualLimits): Promise<Guide> {
  return (hasGuidance() ? await openFullGuide(subject, limits) : null) ?? openPlainGuide(limits)
}

/** Begins to load the files of a guide that will be opened later, after everything else. */
export function prepareGuide(subject: GuideSubject): void {
  if (hasGuidance()) startLoading(subject)
}

/** Constraints for `getUserMedia`: the sizes that the service's rules are made for. */
export const cameraConstraints: Readonly<Record<GuideSubject, MediaTrackConstraints>> = {
  document: { facingMode: 'environment', width: { ideal: 1920 }, height: { ideal: 1080 } },
  face: { facingMode: 'user', width: { ideal: 1280 }, height: { ideal: 960 } },
}

import type { ScreenColour } from '../../../machines/transaction.ts'

const { body } = document

/** Shows a colour around the camera, whose name CSS knows too; nothing to people who need reduced motion. */
export function showLight(colour: ScreenColour | undefined): void {
  const isStill = matchMedia('(prefers-reduced-motion: reduce), (forced-colors: active)').matches
  if (colour === undefined || isStill) delete body.dataset.light
  else body.dataset.light = colour
  body.style.setProperty('--light', colour ?? null)
}

/** The colour that is shown; null without one. */
export function readLight(): ScreenColour | null {
  return (body.dataset.light as ScreenColour | undefined) ?? null
}

import type { ScreenColour } from '@attestor/rules/page'

const { body } = document

let isDeclined = body.dataset.plain !== undefined

/** False where the operator shows no colours, the person has declined them, or the device asks for reduced motion or few. */
export function mayShowLight(): boolean {
  return !isDeclined && !matchMedia('(prefers-reduced-motion: reduce), (forced-colors: active)').matches
}

/** Bright colours that change can harm people with photosensitive epilepsy. */
export function declineLight(): void {
  isDeclined = true
}

/** Shows a colour around the camera, whose name CSS knows too. */
export function showLight(colour: ScreenColour | undefined): void {
  if (colour === undefined || !mayShowLight()) delete body.dataset.light
  else body.dataset.light = colour
  body.style.setProperty('--light', colour ?? null)
}

/** The colour that is shown; null without one. */
export function readLight(): ScreenColour | null {
  return (body.dataset.light as ScreenColour | undefined) ?? null
}

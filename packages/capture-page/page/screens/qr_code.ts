import type { App } from '../app.ts'
import { svgEl } from '../dom.ts'

/** The largest code holds so many bytes, at the least correction of faults (ISO/IEC 18004). */
const maxBytes = 2953

/**
 * Draws a link as a code, its dark squares as one path; null without network, and for a link that is too long: the link
 * does as well. The encoder is loaded when somebody wants to scan a code.
 */
export async function drawQrCode({ say }: App, link: string): Promise<Element | null> {
  if (new TextEncoder().encode(link).length > maxBytes) return null
  const uqr = await import('uqr').catch(() => null)
  if (uqr === null) return null
  const { data, size } = uqr.encode(link, { border: 4 })
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
  const attributes = { viewBox: `0 0 ${size} ${size}`, role: 'img', class: 'qr', 'aria-label': say('handoff.code') }
  return svgEl('svg', attributes, svgEl('path', { d: squares.join('') }))
}

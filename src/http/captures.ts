import { featureCaptures } from '../features.ts'
import type { CaptureKind } from '../verification/transactions/steps.ts'

/** An image, or the capture of a feature. */
export const captureResponse = {
  description: `The image, or what was read ${featureCaptures.map(({ words }) => words.read).join(' or ')}.`,
  content: {
    'image/jpeg': {},
    'image/png': {},
    'image/webp': {},
    ...Object.fromEntries(featureCaptures.map(({ media_type }) => [media_type, {}] as const)),
  },
} as const

/** Names the file that a browser saves: `selfie.jpeg`, or `.json`. */
export function nameCapture(kind: CaptureKind, media_type: string): Readonly<Record<string, string>> {
  return { 'Content-Disposition': `inline; filename="${kind}.${media_type.split(/[/+]/).at(-1)}"` }
}

import type { CaptureKind } from '../verification/transactions/steps.ts'

/** An image, the files of a chip in base64 by their names, or a wallet's answer. */
export const captureResponse = {
  description: 'The image, or what was read of the chip or of the wallet.',
  content: {
    'image/jpeg': {},
    'image/png': {},
    'image/webp': {},
    'application/vnd.attestor.chip+json': {},
    'application/vnd.attestor.wallet+json': {},
  },
} as const

/** Names the file that a browser saves: `selfie.jpeg`, `document_chip.json`. */
export function nameCapture(kind: CaptureKind, media_type: string): Readonly<Record<string, string>> {
  return { 'Content-Disposition': `inline; filename="${kind}.${media_type.split(/[/+]/).at(-1)}"` }
}

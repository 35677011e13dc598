import type { ScreenColour } from '@attestor/rules'

/**
 * The challenge and the action that a frame answers, the time from the challenge's arrival until the device took it,
 * and the colour that its screen showed then; null if it showed none.
 */
export interface FrameStamp {
  readonly challenge_id: string
  readonly position: number
  readonly captured_ms: number
  readonly colour: ScreenColour | null
}

const pattern = /^attestor-frame:([\w-]{1,64}):(\d{1,2}):(\d{1,7})(?::(CYAN|MAGENTA|YELLOW))?$/

/** The markers of a JPEG's segments. */
const marker = { start: 0xd8, application: 0xe0, scan: 0xda, comment: 0xfe } as const

function isJpeg(content: Uint8Array): boolean {
  return content[0] === 0xff && content[1] === marker.start && content[2] === 0xff
}

function segmentAt(content: Uint8Array, at: number): { readonly type: number; readonly end: number } | null {
  const type = content[at + 1]
  if (content[at] !== 0xff || type === undefined || type === marker.scan) return null
  const end = at + 2 + (content[at + 2] ?? 0) * 256 + (content[at + 3] ?? 0)
  return end >= at + 4 && end <= content.length ? { type, end } : null
}

/** Returns the same JPEG with the stamp in a comment segment; anything else is returned unchanged. */
export function stampFrame(
  content: Uint8Array<ArrayBuffer>,
  { challenge_id, position, captured_ms, colour }: FrameStamp,
): Uint8Array<ArrayBuffer> {
  if (!isJpeg(content)) return content
  const first = segmentAt(content, 2)
  // JFIF wants its own segment first.
  const at = first?.type === marker.application ? first.end : 2
  const light = colour === null ? '' : `:${colour}`
  const text = new TextEncoder().encode(`attestor-frame:${challenge_id}:${position}:${captured_ms}${light}`)
  const stamped = new Uint8Array(content.length + text.length + 4)
  stamped.set(content.subarray(0, at))
  stamped.set([0xff, marker.comment, 0, text.length + 2], at)
  stamped.set(text, at + 4)
  stamped.set(content.subarray(at), at + 4 + text.length)
  return stamped
}

/** Reads the stamp of a JPEG; null for an image without one. */
export function readFrameStamp(content: Uint8Array): FrameStamp | null {
  if (!isJpeg(content)) return null
  for (let at = 2, segment = segmentAt(content, at); segment !== null; segment = segmentAt(content, at)) {
    if (segment.type === marker.comment) {
      const [, challenge_id, position, captured_ms, colour = null] =
        pattern.exec(new TextDecoder().decode(content.subarray(at + 4, segment.end))) ?? []
      if (challenge_id !== undefined)
        return {
          challenge_id,
          position: Number(position),
          captured_ms: Number(captured_ms),
          colour: colour as ScreenColour | null,
        }
    }
    at = segment.end
  }
  return null
}

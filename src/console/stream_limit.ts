import { ApiError, unavailable } from '../base/api_error.ts'

/** Enough for a few tabs of a few people at once. Each reads the journal on its own after a commit. */
const maxPerSession = 8
const maxStreams = 256

/** The streams of events that one node sends. */
export interface StreamLimit {
  /**
   * Counts a new stream; the returned function ends it. @throws {ApiError} `rate_limited` if the session has too many,
   * `unavailable` if the node has
   */
  take(session_id: string): () => void
}

export function createStreamLimit(onChange: (open: number) => void = () => {}): StreamLimit {
  const bySession = new Map<string, number>()
  let open = 0
  const add = (session_id: string, change: 1 | -1): void => {
    open += change
    const left = (bySession.get(session_id) ?? 0) + change
    if (left > 0) bySession.set(session_id, left)
    else bySession.delete(session_id)
    onChange(open)
  }
  return {
    take(session_id) {
      if ((bySession.get(session_id) ?? 0) >= maxPerSession)
        throw new ApiError('rate_limited', `events: at most ${maxPerSession} streams of one session`, {
          'Retry-After': '5',
        })
      if (open >= maxStreams) throw unavailable(`events: at most ${maxStreams} streams of one node`, 5)
      add(session_id, 1)
      let isOpen = true
      return () => {
        if (isOpen) add(session_id, -1)
        isOpen = false
      }
    },
  }
}

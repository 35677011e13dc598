import { newSecret, sha256 } from '../../base/ids.ts'

/** The first caller with a valid token gets a session, which lasts as long as the program runs. */
export interface Sessions {
  /** A token that opens one session, once. */
  newToken(): string
  /** The session that a token opens; null if it was used before, or never issued. */
  open(token: string): string | null
  isOpen(session: string): boolean
}

/** Keeps only hashes, so that the time of a comparison reveals nothing. */
export function createSessions(): Sessions {
  const tokens = new Set<string>()
  const sessions = new Set<string>()
  const issue = (set: Set<string>): string => {
    const secret = newSecret()
    set.add(sha256(secret))
    return secret
  }
  return {
    newToken: () => issue(tokens),
    open: token => (tokens.delete(sha256(token)) ? issue(sessions) : null),
    isOpen: session => sessions.has(sha256(session)),
  }
}

import { newSecret, sha256 } from '../base/ids.ts'

/** Who may look: whoever comes first with a token that was handed out, and for as long as the program runs. */
export interface Sessions {
  /** A token that opens one session, once. */
  newToken(): string
  /** The session that a token opens; null where it was used before, or never handed out. */
  open(token: string): string | null
  isOpen(session: string): boolean
}

/** Makes the sessions of one program; only hashes are kept, so that comparing tells nothing. */
export const createSessions = (): Sessions => {
  const [tokens, sessions] = [new Set<string>(), new Set<string>()]
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

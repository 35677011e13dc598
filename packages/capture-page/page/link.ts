import { keep, recall } from './storage.ts'

/** The contents of this page's link. */
export interface Link {
  readonly token: string | null
  /** A one-time code, which is exchanged for a token unless there is one. */
  readonly code: string | null
  /** Whether another device passed the capture to this one. */
  readonly by_handoff: boolean
}

const key = 'attestor.link'
/** The fragment of the address to which a wallet brings a person once it has answered. */
const returned = 'wallet'

function readFragment(fragment: string): Link | null {
  if (fragment === '') return null
  const code = /^handoff=(.+)$/.exec(fragment)?.[1] ?? null
  return { token: code === null ? fragment : null, code, by_handoff: code !== null }
}

/** Kept for this tab only: a reload goes on, another tab and a closed one don't. */
export function keepLink(link: Link): void {
  keep(key, JSON.stringify(link))
}

/**
 * Decodes a fragment, as some mailers escape it. Text that is then not visible ASCII was cut or mistyped: it stays as
 * it is, a link that nobody knows.
 */
function decodeFragment(fragment: string): string {
  try {
    const decoded = decodeURIComponent(fragment)
    return /^[!-~]*$/.test(decoded) ? decoded : fragment
  } catch {
    return fragment
  }
}

/**
 * Reads the link, and takes its secret out of the address and of the browser's history. Returns null in a tab that a wallet
 * has opened: the person goes on where they began.
 */
export function openLink(): Link | null {
  const fragment = decodeFragment(location.hash.slice(1))
  const isReturned = fragment === returned
  if (isReturned) history.replaceState(null, '', location.pathname)
  const link = isReturned ? null : readFragment(fragment)
  const text = recall(key)
  const kept = text === null ? null : (JSON.parse(text) as Link)
  if (link !== null) {
    history.replaceState(null, '', location.pathname)
    // Its code was exchanged in this tab, which goes on when the person opens the link once more.
    if (link.code !== null && link.code === kept?.code) return kept
    keepLink(link)
    return link
  }
  if (kept !== null) return kept
  return isReturned ? null : { token: null, code: null, by_handoff: false }
}

import { keep, recall } from './storage.ts'

/** The contents of this page's link. */
export interface Link {
  readonly token: string | null
  /** A one-time code that is exchanged for a token. */
  readonly code: string | null
  /** Whether another device passed the capture to this one. */
  readonly by_handoff: boolean
}

const key = 'attestor.link'

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

/** Reads the link, and takes its secret out of the address and of the browser's history. */
export function openLink(): Link {
  const link = readFragment(decodeFragment(location.hash.slice(1)))
  if (link !== null) {
    history.replaceState(null, '', location.pathname)
    keepLink(link)
    return link
  }
  const kept = recall(key)
  return kept === null ? { token: null, code: null, by_handoff: false } : (JSON.parse(kept) as Link)
}

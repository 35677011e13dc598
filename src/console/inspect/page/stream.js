/** The session of this page, and the messages of the inspector's server. */

const key = 'session'

/** The token is in the address's fragment, which no server and no log ever sees; it opens one session, once. */
const openSession = async () => {
  const token = location.hash.slice(1)
  if (token === '') return sessionStorage.getItem(key)
  history.replaceState(null, '', location.pathname)
  const body = JSON.stringify({ token })
  const answer = await fetch('/session', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  if (!answer.ok) return sessionStorage.getItem(key)
  const { session } = await answer.json()
  sessionStorage.setItem(key, session)
  return session
}

/** Calls with the session; null where there is none, or none any more. */
export const connect = async () => {
  const session = await openSession()
  if (session === null) return null
  return (path, signal = null) => fetch(path, { headers: { Authorization: `Bearer ${session}` }, signal })
}

async function* linesOf(body) {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split('\n')
    text = lines.pop() ?? ''
    yield* lines
  }
}

const again_ms = 1000
const pause = () => new Promise(resolve => setTimeout(resolve, again_ms))

/**
 * Follows the server for as long as it knows the session, from the beginning again after a break. `onMessages` gets each
 * batch, `onState` says `live`, `away` or `unknown`.
 */
export const follow = async (path, { onStart, onMessages, onState }) => {
  const call = await connect()
  if (call === null) return onState('unknown')
  for (;;) {
    const answer = await call(path).catch(() => null)
    if (answer?.status === 401) return onState('unknown')
    if (answer?.ok) {
      onStart(call)
      onState('live')
      try {
        for await (const line of linesOf(answer.body)) onMessages(JSON.parse(line))
      } catch (error) {
        // A connection that breaks is a TypeError of the browser's; anything else is a fault of this page.
        if (!(error instanceof TypeError)) throw error
      }
    }
    onState('away')
    await pause()
  }
}

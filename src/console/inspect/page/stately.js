import { connect, follow } from './stream.js'

/**
 * Brings the messages to Stately's page, which says `@statelyai.connected` to the page that it is in, once it listens. It
 * gets them, and no other page does.
 */

const patience_ms = 8000

const frame = document.getElementById('inspector')
const connection = document.getElementById('connection')
const say = (text, state) => {
  connection.textContent = text
  connection.dataset.state = state
}

const whenConnected = origin =>
  new Promise(resolve => {
    window.addEventListener('message', event => {
      const is_theirs = event.source === frame.contentWindow && event.origin === origin
      if (is_theirs && event.data?.type === '@statelyai.connected') resolve(true)
    })
    setTimeout(() => resolve(false), patience_ms)
  })

const start = async () => {
  const call = await connect()
  const answer = await call?.('/stately_url').catch(() => null)
  if (!answer?.ok) return say('this address was used before: run the command again for a new one', 'unknown')
  const { url } = await answer.json()
  const { origin } = new URL(url)
  frame.src = url
  say(`waiting for ${origin} …`, 'away')
  // Without a network there is our own page.
  if (!(await whenConnected(origin))) return location.replace('/')
  await follow('/steps?for=stately', {
    onStart() {},
    onMessages(messages) {
      for (const message of messages) frame.contentWindow.postMessage(message, origin)
    },
    onState: state => say(state === 'live' ? `live at ${origin}` : 'the inspector has stopped; trying again …', state),
  })
}

start()

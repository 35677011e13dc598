/**
 * Brings the messages to Stately's page, which says `@statelyai.connected` to the page that it is in, once it listens. It
 * gets them, and no other page does.
 */

const frame = document.querySelector('iframe') as HTMLIFrameElement
const { href: url, origin } = new URL(frame.dataset.url ?? '')

function say(text: string): void {
  const state = document.querySelector('#state')
  if (state !== null) state.textContent = text
}

function whenConnected(): Promise<void> {
  return new Promise(resolve => {
    window.addEventListener('message', ({ source, origin: from, data }) => {
      if (source === frame.contentWindow && from === origin && data?.type === '@statelyai.connected') resolve()
    })
    frame.src = url
  })
}

async function* readLines(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split('\n')
    text = lines.pop() ?? ''
    yield* lines
  }
}

await whenConnected()
// No server and no log ever sees the fragment. What it holds is used up now.
const response = await fetch('/steps', { headers: { Authorization: `Bearer ${location.hash.slice(1)}` } })
history.replaceState(null, '', '/')
if (response.body === null || !response.ok) say('This address was used before: run the command again for a new one.')
else {
  say(`Live at ${origin}`)
  try {
    for await (const line of readLines(response.body))
      for (const message of JSON.parse(line)) frame.contentWindow?.postMessage(message, origin)
  } finally {
    say('The command has stopped: run it again.')
  }
}

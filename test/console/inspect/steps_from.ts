/** The accepted events that an inspector sends, one after the other, as [actor, event]: by its address, as its page does. */
export async function* eventsFrom(url: string): AsyncGenerator<readonly [actor: string, event: string]> {
  const { origin, hash } = new URL(url)
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ token: hash.slice(1) })
  const opened = await fetch(`${origin}/session`, { method: 'POST', headers, body })
  const { session } = (await opened.json()) as { session: string }
  const answer = await fetch(`${origin}/steps`, { headers: { Authorization: `Bearer ${session}` } })
  let rest = ''
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    const messages = lines.flatMap(line => JSON.parse(line))
    for (const { type, event, sessionId } of messages) if (type === '@xstate.event') yield [sessionId, event.type]
  }
}

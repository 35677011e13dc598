/** The messages that an inspector sends, one after the other: by its address, as its page gets them. */
export async function* messagesFrom(url: string): AsyncGenerator<Record<string, unknown>> {
  const { origin, hash } = new URL(url)
  const response = await fetch(`${origin}/steps`, { headers: { Authorization: `Bearer ${hash.slice(1)}` } })
  let rest = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield* JSON.parse(line)
  }
}

/** The accepted events among them, as [actor, event]. */
export async function* eventsFrom(url: string): AsyncGenerator<readonly [actor: string, event: string]> {
  for await (const { type, event, sessionId } of messagesFrom(url))
    if (type === '@xstate.event') yield [String(sessionId), (event as { readonly type: string }).type]
}

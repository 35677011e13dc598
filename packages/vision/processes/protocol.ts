import type { Socket } from 'node:net'
import { z } from 'zod'
import { onFrame, sendFrame } from './frames.ts'
import { decodeJsonWithBytes, encodeJsonWithBytes } from './json_with_bytes.ts'

export interface ChildRequest<Request> {
  readonly id: number
  readonly request: Request
}

/** The most bytes of a child's message: a response has numbers, and the text of a page. */
const maxMessageBytes = 4 * 2 ** 20

/** The most characters of a reason: it goes into the log and the journal. */
const maxReasonCharacters = 400

const id = z.int()
const childMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  /** The child reports that a stage of the work begins. */
  z.object({ type: z.literal('stage'), id, stage: z.string().regex(/^[a-z_]{1,40}$/) }),
  z.object({ type: z.literal('response'), id, response: z.unknown() }),
  z.object({
    type: z.literal('failure'),
    id,
    message: z.string().transform(text => text.slice(0, maxReasonCharacters)),
  }),
])
export type ChildMessage = z.infer<typeof childMessage>

/**
 * Calls `onMessage` for every message of a child. A hostile image may have taken the child over, so its messages are
 * JSON and bytes, bounded and validated: anything else destroys the pipe with an error. (Node's own IPC channel would
 * end the parent at what it cannot parse.)
 */
function onChildMessage(pipe: Socket, onMessage: (message: ChildMessage) => void): void {
  onFrame(pipe, maxMessageBytes, content => {
    const parsed = childMessage.safeParse(decodeJsonWithBytes(content))
    if (!parsed.success) throw new Error('sent an invalid message')
    onMessage(parsed.data)
  })
}

/** The parent's end of the pipe to a child. */
export interface ChildConnection<Request, Response> {
  /** The request may be freed once this has settled and the pipe, where it rejects, was closed. */
  send(request: Request): Promise<Response>
  /** Rejects the requests without a response. */
  close(error: Error): void
  /** Returns the stage that the last request has reached; null before its first. */
  stage(): string | null
}

export function connectToChild<Request, Response>(
  pipe: Socket,
  onReady: () => void,
): ChildConnection<Request, Response> {
  const pending = new Map<number, PromiseWithResolvers<Response>>()
  let nextId = 1
  let stage: string | null = null
  onChildMessage(pipe, message => {
    if (message.type === 'ready') return onReady()
    const request = pending.get(message.id)
    if (request === undefined) throw new Error('responded to no request')
    if (message.type === 'stage') {
      stage = message.stage
      return
    }
    pending.delete(message.id)
    if (message.type === 'response') request.resolve(message.response as Response)
    else request.reject(new Error(message.message))
  })
  return {
    async send(request) {
      const response = Promise.withResolvers<Response>()
      const message: ChildRequest<Request> = { id: nextId++, request }
      pending.set(message.id, response)
      stage = null
      const written = sendFrame(pipe, encodeJsonWithBytes(message))
      const value = await response.promise
      // A child that was taken over may respond to what it has not read yet.
      await written
      return value
    },
    close(error) {
      for (const request of pending.values()) request.reject(error)
      pending.clear()
    },
    stage: () => stage,
  }
}

import type { Socket } from 'node:net'
import { serialize } from 'node:v8'
import { z } from 'zod'
import { onFrame, sendFrame } from './frames.ts'

/** What a pool sends to a child, by structured clone: images are not copied into text. */
export interface ChildRequest<Request> {
  readonly id: number
  readonly request: Request
}

/** An answer is numbers and a page's text. */
const most_answer_bytes = 4 * 2 ** 20

/** It goes into log and journal. */
const most_reason_characters = 400

const id = z.int()
/** What a child says: that it is warm, which stage of its work begins, an answer, or that it has none. */
const told = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('answer'), id, answer: z.unknown() }),
  z.object({ kind: z.literal('stage'), id, stage: z.string().regex(/^[a-z_]{1,40}$/) }),
  z.object({
    kind: z.literal('failure'),
    id,
    message: z.string().transform(text => text.slice(0, most_reason_characters)),
  }),
])
/** One of them. */
export type ChildMessage = z.infer<typeof told>

/**
 * The parent's end. A child is not believed to be what it was started as: what it says is JSON, bounded and checked, and
 * whatever is not destroys the pipe with an error. (Node's own channel would end the parent at what it can't parse.)
 */
export const onChildMessage = (pipe: Socket, hear: (told: ChildMessage) => void): void =>
  onFrame(pipe, most_answer_bytes, content => {
    const said = told.safeParse(JSON.parse(content.toString('utf8')))
    if (!said.success) throw new Error('said what nobody understands')
    hear(said.data)
  })

/** Puts a question to a child. */
export const sendToChild = <Request>(pipe: Socket, question: ChildRequest<Request>): void =>
  sendFrame(pipe, serialize(question))

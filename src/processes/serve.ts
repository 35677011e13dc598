import { Socket } from 'node:net'
import { deserialize } from 'node:v8'
import { onFrame, sendFrame } from './frames.ts'
import type { ChildMessage, ChildRequest } from './protocol.ts'

/** Where a child finds its end of the pipe. */
export const pipe_descriptor = 3

/** More than the images of any transaction come to. */
const most_question_bytes = 2 ** 30

/** The child's end of it: says that this process is warm, and answers what it is asked from then on. */
export const serveRequests = <Request, Answer>(
  answerTo: (request: Request, begin: (stage: string) => void) => Promise<Answer>,
): void => {
  const pipe = new Socket({ fd: pipe_descriptor, readable: true, writable: true })
  const say = (said: ChildMessage): void => sendFrame(pipe, Buffer.from(JSON.stringify(said)))
  onFrame(pipe, most_question_bytes, content => {
    const { id, request } = deserialize(content) as ChildRequest<Request>
    answerTo(request, stage => say({ kind: 'stage', id, stage })).then(
      answer => say({ kind: 'answer', id, answer }),
      (error: unknown) => say({ kind: 'failure', id, message: String(error) }),
    )
  })
  // The parent went away: there is nobody left to answer.
  pipe.on('error', () => process.exit(0))
  pipe.on('close', () => process.exit(0))
  say({ kind: 'ready' })
}

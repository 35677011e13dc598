import { flushCompileCache } from 'node:module'
import { Socket } from 'node:net'
import { onFrame, sendFrame } from './frames.ts'
import { decodeJsonWithBytes, encodeJsonWithBytes } from './json_with_bytes.ts'
import type { ChildMessage, ChildRequest } from './protocol.ts'

/** The file descriptor of a child's end of the pipe. */
export const pipeDescriptor = 3

/** The most bytes of a request: more than the images of any transaction. */
const maxRequestBytes = 2 ** 30

/** Missing in types of Node, and in its older releases. */
type Permission = NodeJS.ProcessPermission & { drop?(scope: string): void }

/** Gives up what the start of a program needs and its requests don't: to read files, to keep compiled code, native code. */
function dropPermissions(): void {
  flushCompileCache()
  const permission: Permission = process.permission
  for (const scope of ['fs', 'addon']) permission.drop?.(scope)
}

/** Runs in a child: reports that it is ready, and responds to requests from then on. */
export function serveRequests<Request, Response>(
  respond: (request: Request, beginStage: (stage: string) => void) => Promise<Response>,
): void {
  const pipe = new Socket({ fd: pipeDescriptor, readable: true, writable: true })
  const send = (message: ChildMessage): void => void sendFrame(pipe, encodeJsonWithBytes(message))
  onFrame(pipe, maxRequestBytes, content => {
    const { id, request } = decodeJsonWithBytes(content) as ChildRequest<Request>
    respond(request, stage => send({ type: 'stage', id, stage })).then(
      response => send({ type: 'response', id, response }),
      (error: unknown) => send({ type: 'failure', id, message: String(error) }),
    )
  })
  // The parent has ended, so that no response is awaited.
  pipe.on('error', () => process.exit(0))
  pipe.on('close', () => process.exit(0))
  dropPermissions()
  send({ type: 'ready' })
}

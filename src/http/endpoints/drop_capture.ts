import { z } from 'zod'
import { dropCapture as drop, droppableKinds } from '../../verification/transactions/drop_capture.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { sessionPrefix } from '../paths.ts'

const kind = z.enum(droppableKinds, { error: `must be ${droppableKinds.join(', ')}` })

export const dropCapture = defineEndpoint({
  method: 'delete',
  path: `${sessionPrefix}/captures/{kind}`,
  operationId: 'dropCapture',
  summary: 'Drop a capture for a retake',
  description: 'Deletes what was captured of a step, so that it is missing again.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: { path: { kind: kind.meta(meaning('The step whose capture is dropped, or `document_chip`.', 'selfie')) } },
  responses: { 204: { description: 'Dropped.' } },
  errors: [404, 409],
  async handler({ caller, path }, { transactions }) {
    await drop(transactions, caller, path.kind)
    return { status: 204 }
  },
})

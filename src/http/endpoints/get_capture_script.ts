import { readCaptureScript } from '../../pages/embed/script.ts'
import { defineEndpoint } from '../endpoint.ts'
import { publish, sendPublication } from '../publication.ts'
import { unchanged } from '../shapes/chart.ts'

let script: ReturnType<typeof publish> | null = null

export const getCaptureScript = defineEndpoint({
  method: 'get',
  path: '/capture.js',
  operationId: 'getCaptureScript',
  summary: 'The script that embeds the capture page',
  description: 'For a page of yours: `Attestor.open` and `<attestor-capture>` show the capture page in a frame.',
  tag: 'Device',
  isDocumented: false,
  authentication: 'none',
  responses: {
    200: { description: 'The script.', content: { 'text/javascript': {} } },
    304: unchanged,
  },
  handler({ ctx }) {
    script ??= publish('text/javascript; charset=utf-8', readCaptureScript())
    const shared = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' }
    return sendPublication(ctx, script, shared)
  },
})

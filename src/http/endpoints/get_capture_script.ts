import { readCaptureScript } from '../../pages/embed/script.ts'
import { defineUndocumented } from '../endpoint.ts'
import { publish, sendPublication } from '../publication.ts'

let script: ReturnType<typeof publish> | null = null

/** For a page of an integrator: `Attestor.open` and `<attestor-capture>` show the capture page in a frame. */
export const getCaptureScript = defineUndocumented({
  method: 'get',
  path: '/capture.js',
  authentication: 'none',
  handler({ ctx }) {
    script ??= publish('text/javascript; charset=utf-8', readCaptureScript())
    const shared = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' }
    return sendPublication(ctx, script, shared)
  },
})

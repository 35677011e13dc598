import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toBrowserModule } from '@attestor/page-files'

/** Reads `capture.js` as it is served: without types, comments and the traces that types leave. */
export function readCaptureScript(): string {
  const source = readFileSync(join(import.meta.dirname, 'page/capture.ts'), 'utf8')
  return toBrowserModule('capture.ts', source)
    .code.replace(/^ *(\/\/|\/\*\*).*\n/gm, '')
    .replace(/[ ;]+$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trimStart()
}

/** Returns the hash by which a page can check the script (W3C Subresource Integrity). */
export function captureScriptIntegrity(): string {
  return `sha384-${createHash('sha384').update(readCaptureScript()).digest('base64')}`
}

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toBrowserModule } from '@attestor/page-files'

/** `capture.js`, as it is served: without types, comments and what types leave behind. */
export function readCaptureScript(): string {
  const source = readFileSync(join(import.meta.dirname, 'page/capture.ts'), 'utf8')
  return toBrowserModule('capture.ts', source)
    .code.replace(/^ *(\/\/|\/\*\*).*\n/gm, '')
    .replace(/[ ;]+$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trimStart()
}

/** What a page may ask of the script (W3C Subresource Integrity). */
export function captureScriptIntegrity(): string {
  return `sha384-${createHash('sha384').update(readCaptureScript()).digest('base64')}`
}

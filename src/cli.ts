#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Only modules that are imported after this call come from the cache. The folder belongs to the installation: its
// contents are executed. If it can't be written, as in a read-only container, the program does without.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/attestor'))

const { attestor } = await import('./cli/program.ts')

// A reader such as `head` may close the pipe early.
process.stdout.on('error', error => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1))
const code = await attestor(process.argv.slice(2), process)
// The demo has set its own.
if (code !== 0) process.exitCode = code

#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Only what is imported after this call comes from the cache. The folder belongs to the installation: what lies in it is run.
// Where it can't be written, as in a read-only container, the program does without.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/attestor'))

const { CommanderError } = await import('commander')
const { asError, toApiError } = await import('./base/api_error.ts')
const { createProgram } = await import('./cli/program.ts')
const { ConfigError, readConfig } = await import('./config/settings.ts')

// A reader such as `head` may close the pipe early.
process.stdout.on('error', error => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1))

/** 0 done, 1 failed, 2 not understood. Commander has already printed its own errors. */
const reportError = (error: unknown): number => {
  if (error instanceof CommanderError)
    return ['commander.helpDisplayed', 'commander.version'].includes(error.code) ? 0 : 2
  const { message, stack } = asError(error)
  const isForUser = toApiError(error) !== null || error instanceof ConfigError
  process.stderr.write(`${isForUser ? message : (stack ?? message)}\n`)
  return 1
}

await createProgram(() => readConfig(process.env))
  .parseAsync()
  // A command that ends well may have set an exit code of its own.
  .catch(error => {
    process.exitCode = reportError(error)
  })

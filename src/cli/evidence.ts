import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { FlattenedJWSInput, JSONWebKeySet } from 'jose'
import { ApiError, asError } from '../base/api_error.ts'
import { readKeys } from '../identity/keys/signing_keys.ts'
import { InvalidEvidenceError, verifyEvidence } from '../verification/evidence/verify.ts'
import type { CommandContext, Shell } from './command.ts'

async function readJsonFile(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new ApiError('malformed_request', `${file}: can't be read: ${asError(error).message}`)
  }
}

async function readDatabaseKeys({ store, serviceKeys }: CommandContext): Promise<unknown> {
  const keys = await readKeys(store, serviceKeys, 'evidence')
  return { keys: keys.map(({ public_jwk }) => public_jwk) }
}

export function addEvidenceCommands(program: Command, { printJson, withDatabase }: Shell): void {
  program
    .command('evidence')
    .description('verify exported evidence')
    .command('verify')
    .description('check the signature and the hash chain of exported evidence')
    .argument('<file>', 'the export')
    .option('--jwks <file>', 'key set to check against; by default the keys of the database')
    .action(async (file: string, { jwks }: { jwks?: string }) => {
      const signed = (await readJsonFile(file)) as FlattenedJWSInput
      const keys = jwks === undefined ? await withDatabase(readDatabaseKeys) : await readJsonFile(jwks)
      try {
        printJson(await verifyEvidence(signed, keys as JSONWebKeySet))
      } catch (error) {
        throw error instanceof InvalidEvidenceError ? new ApiError('conflict', error.message) : error
      }
    })
}

import { readFile } from 'node:fs/promises'
import type { FlattenedJWSInput, JSONWebKeySet } from 'jose'
import { ApiError, asError } from '../base/api_error.ts'
import { InvalidEvidenceError, verifyEvidence } from '../evidence/verify.ts'
import { readKeys } from '../keys/signing_keys.ts'
import { type Call, type Command, say, UsageError, withDatabase } from './command.ts'

const parsed = async (file: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new ApiError('malformed_request', `${file}: can't be read: ${asError(error).message}`)
  }
}

/** The keys of the file, or those of the database that signed it. */
const keysFor = async ({ values: { jwks }, config }: Call): Promise<JSONWebKeySet> => {
  if (typeof jwks === 'string') return (await parsed(jwks)) as JSONWebKeySet
  let keys: JSONWebKeySet = { keys: [] }
  await withDatabase(config, async ({ store, master }) => {
    keys = { keys: (await readKeys(store, master, 'evidence')).map(({ public_jwk }) => public_jwk) } as JSONWebKeySet
  })
  return keys
}

/** `attestor evidence verify`. */
export const evidenceVerify: Command = {
  name: 'evidence verify',
  takes: 'FILE [--jwks FILE]',
  means: 'check the signature and the chain of exported evidence, by the key set or the database',
  options: { jwks: { type: 'string' } },
  most_words: 1,
  run: async call => {
    const [file] = call.words
    if (file === undefined) throw new UsageError('evidence verify: a file is required')
    const signed = (await parsed(file)) as FlattenedJWSInput
    try {
      say(JSON.stringify(await verifyEvidence(signed, await keysFor(call)), null, 2))
    } catch (error) {
      throw error instanceof InvalidEvidenceError ? new ApiError('conflict', error.message) : error
    }
  },
}

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { FlattenedJWSInput, JSONWebKeySet } from 'jose'
import { ApiError, asError } from '../base/api_error.ts'
import { openCustomerKey } from '../identity/customers/customer_key.ts'
import { readKeys } from '../identity/keys/signing_keys.ts'
import { commandLine, recordAudit } from '../identity/operators/audit.ts'
import { InvalidEvidenceError, verifyEvidence } from '../verification/evidence/verify.ts'
import { readFailure } from '../verification/transactions/failure.ts'
import { readTrace } from '../verification/transactions/trace.ts'
import { type CommandContext, parseIdArgument, type Shell } from './command.ts'

export function addTransactionCommands(program: Command, { printJson, withDatabase }: Shell): void {
  program
    .command('transaction')
    .description('list and show transactions, and explain their decisions')
    .command('trace')
    .description('show why a transaction was decided as it was, or which attempts failed, as JSON')
    .argument('<transaction_id>', 'id of the transaction', parseIdArgument)
    .action((id: string) =>
      withDatabase(async context => {
        const { store, serviceKeys } = context
        const customerKey = (customer_id: string, data_key: Uint8Array) =>
          openCustomerKey(serviceKeys, customer_id, data_key)
        const trace = await readTrace({ store, customerKey }, id)
        const failure = trace === null ? await readFailure({ store }, id) : null
        if (failure !== null) return printJson({ failure })
        if (trace === null) throw new ApiError('not_found', 'trace: nothing was decided')
        if (!trace.pinned) throw new ApiError('conflict', 'trace: is not the one that the journal names')
        const subject = { type: 'transaction', id } as const
        await recordAudit(context, commandLine, { action: 'personal_data_read', subject })
        printJson(trace)
      }),
    )
}

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

import { readFile } from 'node:fs/promises'
import type { WalletPurpose } from '@attestor/credentials/wallet'
import type { Command } from 'commander'
import { ApiError } from '../base/api_error.ts'
import type { Shell } from '../cli/command.ts'
import { commandLine } from '../identity/operators/audit.ts'
import { importWalletTrust, type WalletTrustImport } from './import_trust.ts'
import { walletPurposes } from './trust.ts'

function readPurposes(text: string): readonly WalletPurpose[] {
  return text.split(',').map(one => {
    const purpose = walletPurposes.find(known => known === one.trim().toUpperCase())
    if (purpose !== undefined) return purpose
    throw new ApiError('malformed_request', `--may-sign: must be of ${walletPurposes.join(', ')}, not ${one}`)
  })
}

function describeImport({ added, changed, known, files }: WalletTrustImport): string {
  const refused = files.filter(({ signature }) => signature !== null && signature !== 'PASSED')
  return [
    `Added ${added} certificates, ${changed} may sign more than before, ${known} were there already.`,
    ...refused.map(({ kind, signature }) => `A list (${kind}) is refused: ${signature}.`),
  ].join('\n')
}

/** `attestor wallet`. */
function addWalletCommands(program: Command, { printDone, withDatabase }: Shell): void {
  program
    .command('wallet')
    .description('import the certificates that wallets are verified by; csca lists and removes them')
    .command('import')
    .description('import certificates (PEM or DER), VICALs, or lists of trusted entities')
    .argument('<file...>', 'files; a list needs a certificate, imported before, that may sign lists')
    .option('--may-sign <what>', `what the certificates may sign: ${walletPurposes.join(', ')}`, 'MDL')
    .option('--json', 'print JSON')
    .action((names: string[], options: { maySign: string; json?: true }) =>
      withDatabase(async context => {
        const files = await Promise.all(names.map(name => readFile(name)))
        const result = await importWalletTrust(context, files, readPurposes(options.maySign), commandLine)
        printDone(options, describeImport(result), result)
        if (result.files.every(({ signature }) => signature !== null && signature !== 'PASSED'))
          throw new ApiError('malformed_request', 'no list was imported')
      }),
    )
}

export const walletCommands = { add: addWalletCommands } as const

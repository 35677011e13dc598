import type { Command } from 'commander'
import { ApiError } from '../base/api_error.ts'
import { commandLine, recordAudit } from '../identity/operators/audit.ts'
import { BrokenAuditError, exportAudit } from '../identity/operators/audit_export.ts'
import type { Shell } from './command.ts'

export function addAuditCommands(program: Command, { stdout, withDatabase }: Shell): void {
  program
    .command('audit')
    .description('export what operators and clients did')
    .command('export')
    .description('print the audit log, the oldest entry first, one JSON object a line, and check its chain of hashes')
    .action(() =>
      withDatabase(async context => {
        await recordAudit(context, commandLine, { action: 'audit_exported' })
        try {
          for await (const line of exportAudit(context.store)) stdout.write(line)
        } catch (error) {
          throw error instanceof BrokenAuditError ? new ApiError('conflict', error.message) : error
        }
      }),
    )
}

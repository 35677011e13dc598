import type { Command } from 'commander'
import { ApiError, asError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { BrokenAuditError, createAuditChecker, readAudit } from '../operators/audit_log.ts'
import { print, type ReadConfig, withDatabase } from './command.ts'

export const addAuditCommands = (program: Command, readConfig: ReadConfig): void => {
  program
    .command('audit')
    .description('export what operators did')
    .command('export')
    .description('print the audit log, the oldest entry first, one JSON object a line, and check its chain of hashes')
    .action(() =>
      withDatabase(readConfig(), async ({ store }) => {
        const check = createAuditChecker()
        try {
          for await (const row of readAudit(store)) {
            check(row)
            print(
              JSON.stringify({ ...row, occurred_at: isoTimestamp(row.occurred_at), details: JSON.parse(row.details) }),
            )
          }
        } catch (error) {
          throw error instanceof BrokenAuditError ? new ApiError('conflict', asError(error).message) : error
        }
      }),
    )
}

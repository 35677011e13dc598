import { type Command, CommanderError } from 'commander'
import { systemClock } from '../base/clock.ts'
import type { Shell } from './command.ts'
import { examine } from './doctor/examine.ts'
import { exitCodes, type Finding, findWorst } from './doctor/finding.ts'

const marks = { ok: 'ok     ', warning: 'WARNING', error: 'ERROR  ' } as const

function describe({ level, check, message, remedy }: Finding): string {
  return `${marks[level]}  ${check.padEnd(12)}  ${message}${remedy === null ? '' : `\n${' '.repeat(23)}${remedy}`}`
}

export function addDoctorCommand(program: Command, shell: Shell): void {
  program
    .command('doctor')
    .description('look for what is wrong, with a remedy for each finding; exits with 3 for warnings, with 4 for errors')
    .option('--json', 'print JSON')
    .option('--all', 'prove the whole audit log and all journals, not the latest thousand of each')
    .action(async ({ json, all }: { json?: true; all?: true }) => {
      const findings = await examine(shell, systemClock, all === true ? null : 1000)
      const worst = findWorst(findings)
      if (json === true) shell.print(JSON.stringify({ state: worst, findings }))
      else for (const finding of findings) shell.print(describe(finding))
      throw new CommanderError(exitCodes[worst], 'doctor', '')
    })
}

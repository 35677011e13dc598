import type { Command } from 'commander'
import { addCscaCommands, checkTrustAnchors } from './chip/commands.ts'
import type { Shell } from './cli/command.ts'
import type { DoctorContext } from './cli/doctor/database.ts'
import type { Finding } from './cli/doctor/finding.ts'
import { addWalletCommands } from './wallet/commands.ts'

/** Adds the commands of all features. */
export function addFeatureCommands(program: Command, shell: Shell): void {
  for (const add of [addCscaCommands, addWalletCommands]) add(program, shell)
}

/** Examines how all features are run. */
export function checkFeatures(context: DoctorContext): Promise<readonly Finding[]> {
  return checkTrustAnchors(context)
}

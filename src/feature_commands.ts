import type { Command } from 'commander'
import { chipCommands } from './chip/commands.ts'
import type { Shell } from './cli/command.ts'
import type { DoctorContext } from './cli/doctor/database.ts'
import type { Finding } from './cli/doctor/finding.ts'
import type { FeatureName } from './features.ts'
import { walletCommands } from './wallet/commands.ts'

/** The commands and checks that a feature adds to the command line. */
interface FeatureCommands {
  add?(program: Command, shell: Shell): void
  /** Examines how it is run, for `attestor doctor`. */
  examine?(context: DoctorContext): Promise<readonly Finding[]>
}

const all = {
  chip: chipCommands,
  wallet: walletCommands,
  duplicates: {},
  handoff: {},
  attestation: {},
} satisfies Readonly<Record<FeatureName, FeatureCommands>>

const commands: readonly FeatureCommands[] = Object.values(all)

/** Adds the commands of all features. */
export function addFeatureCommands(program: Command, shell: Shell): void {
  for (const { add } of commands) add?.(program, shell)
}

/** Examines how all features are run. */
export async function checkFeatures(context: DoctorContext): Promise<readonly Finding[]> {
  return (await Promise.all(commands.map(({ examine }) => examine?.(context) ?? []))).flat()
}

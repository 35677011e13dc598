import type { Command } from 'commander'
import { isoTimestamp, pause } from '../base/clock.ts'
import { tokenLifetimeSeconds } from '../identity/accounts/access_token.ts'
import { keyId } from '../identity/keys/key_slots.ts'
import { findMasterKey } from '../identity/keys/master_key.ts'
import { readRotation } from '../identity/keys/root_key_rotation.ts'
import { type RotationResult, rotateRootKey } from '../identity/keys/rotate_root_key.ts'
import { commandLine, createAuditRecord } from '../identity/operators/audit.ts'
import type { CommandContext, Shell } from './command.ts'
import { withProgress } from './progress.ts'

const secondMs = 1000

interface JsonOption {
  readonly json?: true
}

function describe({ key_id, removable_at }: RotationResult): string {
  return removable_at === null
    ? `The root key is ${key_id} now. The one of before opens nothing in this database any more.`
    : `The root key ${key_id} encrypts everything in the database. The old one still opens access tokens that were issued with it.
Run \`attestor root-key rotate\` again after ${isoTimestamp(removable_at)}, to remove it.`
}

/** Creates the audit log's entry of a rotation. */
export function createRotationRecord(context: Pick<CommandContext, 'store' | 'clock'>) {
  return createAuditRecord(
    context,
    commandLine,
    ({ action, key_id }: { action: 'root_key_added' | 'root_key_removed'; key_id: string }) => ({
      action,
      subject: { type: 'key' as const, id: key_id },
    }),
  )
}

async function rotate(context: CommandContext, now: boolean): Promise<RotationResult> {
  const { store, clock, config } = context
  const record = createRotationRecord(context)
  const master = await findMasterKey(config)
  const outstandingMs = tokenLifetimeSeconds * 1000
  return withProgress(context.stderr, report => {
    let what = ''
    const onProgress = (text: string): void => {
      what = text
      report(text)
    }
    const pauseShown = async (ms: number): Promise<void> => {
      for (let left = ms; left > 0; left -= secondMs) {
        report(`${what}: ${left / secondMs} s`)
        await pause(secondMs)
      }
    }
    return rotateRootKey({ store, clock, master, pause: pauseShown, onProgress, record }, { outstandingMs, now })
  })
}

export function addRootKeyCommands(program: Command, { print, printDone, withDatabase }: Shell): void {
  const group = program.command('root-key').description('replace the key that encrypts all other keys')
  group
    .command('list')
    .description('list the root keys: one, or two while one replaces the other')
    .option('--json', 'print JSON, a line each')
    .action((options: JsonOption) =>
      withDatabase(async ({ store, serviceKeys }) => {
        const rotation = await readRotation(store)
        for (const [n, root] of serviceKeys.roots.entries()) {
          const value = { key_id: keyId(root), encrypts: n === 0, rotation: rotation?.step ?? null }
          const does = value.encrypts ? 'encrypts and decrypts' : 'decrypts'
          printDone(
            options,
            `${value.key_id}  ${does}${rotation === null ? '' : `  rotation: ${rotation.step}`}`,
            value,
          )
        }
      }),
    )
  group
    .command('rotate')
    .description('replace the root key while nodes run, and encrypt again what it encrypts; goes on where it stopped')
    .option('--now', 'remove the old key at once: access tokens that were issued with it end')
    .option('--json', 'print JSON')
    .action(({ now = false, json }: JsonOption & { readonly now?: boolean }) =>
      withDatabase(async context => {
        const rotated = await rotate(context, now)
        const { key_id, removable_at } = rotated
        const value = { key_id, removable_at: removable_at === null ? null : isoTimestamp(removable_at) }
        print(json === true ? JSON.stringify(value) : describe(rotated))
      }),
    )
}

import { resolve } from 'node:path'
import { Argument, type Command } from 'commander'
import { ConfigError } from '../base/setting.ts'
import { addMasterKey, keyId, readMasterKeyIds, retireMasterKey } from '../identity/keys/key_slots.ts'
import { findMasterKey, readKey, writeKey } from '../identity/keys/master_key.ts'
import type { Shell } from './command.ts'

/** The key in `file`, which gets a new one where there is none. */
async function openKeyFile(file: string): Promise<Buffer> {
  await writeKey(file)
  const key = await readKey(file)
  if (key === null) throw new ConfigError(`FILE: ${file} could not be created`)
  return key
}

function describeRotation(id: string, file: string): string {
  return `The database opens with the key ${id} in ${file} too.
1. Keep a copy of that file where no backup of the database is.
2. Give the key to every node, one after another: MASTER_KEY or MASTER_KEY_FILE, or master.key beside the SQLite file.
3. Then, with the new key: attestor master-key retire KEY_ID, with the id of the old one.`
}

interface JsonOption {
  readonly json?: true
}

export function addMasterKeyCommands(program: Command, { print, withDatabase }: Shell): void {
  const group = program.command('master-key').description('rotate the key that opens the database')
  group
    .command('list')
    .description('list the ids of the master keys that open the database')
    .option('--json', 'print JSON, a line each')
    .action(({ json }: JsonOption) =>
      withDatabase(async ({ store, config }) => {
        const own = keyId(await findMasterKey(config))
        for (const key_id of await readMasterKeyIds(store)) {
          const at_hand = key_id === own
          print(json === true ? JSON.stringify({ key_id, at_hand }) : `${key_id}${at_hand ? '  at hand' : ''}`)
        }
      }),
    )
  group
    .command('rotate')
    .description('let a new master key open the database beside the present one, while nodes run')
    .argument('<file>', 'file of the new key, 32 bytes in base64; made where there is none')
    .option('--json', 'print JSON')
    .action((path: string, { json }: JsonOption) =>
      withDatabase(async ({ store, serviceKeys }) => {
        const file = resolve(path)
        const key_id = await addMasterKey(store, serviceKeys, await openKeyFile(file))
        print(json === true ? JSON.stringify({ key_id, file }) : describeRotation(key_id, file))
      }),
    )
  group
    .command('retire')
    .description('let a master key open the database no more; run it with another one that does')
    .addArgument(new Argument('<key_id>', 'id of the key, as `attestor master-key list` prints it'))
    .option('--json', 'print JSON')
    .action((key_id: string, { json }: JsonOption) =>
      withDatabase(async ({ store, config }) => {
        await retireMasterKey(store, await findMasterKey(config), key_id)
        const kept = `The key ${key_id} opens this database no more. Keep it as long as backups of its time.`
        print(json === true ? JSON.stringify({ key_id }) : kept)
      }),
    )
}

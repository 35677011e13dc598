import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import {
  addMasterKey,
  keyId,
  openServiceKeys,
  readMasterKeyIds,
  readServiceKeys,
  retireMasterKey,
} from '../../../src/identity/keys/key_slots.ts'
import { oneDialect, openTestStore } from '../../database.ts'
import { attestor, urlOf } from '../../service/programs.ts'
import { openRig } from '../../service/rig.ts'
import { inLongTier } from '../../tier.ts'

const old = Buffer.alloc(32, 7)

function keyOf(file: string): string {
  return readFileSync(file, 'utf8').trim()
}

for (const engine of oneDialect) {
  test(`${engine.name}: one of two operators who retire each other's master key wins, and a key is left`, async t => {
    const { store } = await openTestStore(t, engine, 4)
    const next = Buffer.alloc(32, 8)
    for (let round = 0, present = old, other = next; round < 20; round++) {
      const keys = await openServiceKeys(store, present)
      await addMasterKey(store, keys, other)
      const both = await Promise.allSettled([
        retireMasterKey(store, present, keyId(other)),
        retireMasterKey(store, other, keyId(present)),
      ])
      const [left, ...more] = await readMasterKeyIds(store)
      t.deepEqual([both.filter(({ status }) => status === 'fulfilled').length, more], [1, []])
      if (left !== keyId(present)) [present, other] = [other, present]
      t.is(left, keyId(present))
      t.deepEqual((await readServiceKeys(store, present)).roots, keys.roots)
    }
  })

  test(`${engine.name}: the master key is rotated while a node runs, and the old one opens nothing afterwards`, async t => {
    const rig = await openRig(engine)
    const within = mkdtempSync(join(tmpdir(), 'attestor-test-'))
    t.teardown(async () => {
      await rig.close()
      rmSync(within, { recursive: true, force: true })
    })
    const environment = { DATABASE_URL: urlOf(rig.database), MASTER_KEY: old.toString('base64') }
    const file = join(within, 'next.key')
    const opened = await rig.open()
    await opened.phone.start()
    await opened.phone.upload('document/front')

    const rotated = await attestor(['master-key', 'rotate', file, '--json'], environment)
    t.deepEqual([rotated.code, rotated.stderr], [0, ''])
    const next = keyOf(file)
    const key_id = keyId(Buffer.from(next, 'base64'))
    t.deepEqual(JSON.parse(rotated.stdout), { key_id, file })
    t.is(statSync(file).mode & 0o777, 0o600)
    // Again, as after a command that was killed: the same key, and nothing changes.
    t.is((await attestor(['master-key', 'rotate', file, '--json'], environment)).stdout, rotated.stdout)
    t.is(keyOf(file), next)
    const renewed = { ...environment, MASTER_KEY: next }
    const listed = await attestor(['master-key', 'list', '--json'], renewed)
    t.deepEqual(
      listed.stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
      [keyId(old), key_id].sort().map(id => ({ key_id: id, at_hand: id === key_id })),
    )
    const own = await attestor(['master-key', 'retire', keyId(old)], environment)
    t.deepEqual([own.code, own.stdout], [1, ''])
    t.regex(own.stderr, /is the key that you hold: set MASTER_KEY to the other one first/)
    const none = await attestor(['master-key', 'retire', '0123456789abcdef'], renewed)
    t.is(none.stderr, 'key_id: 0123456789abcdef does not open this database\n')
    t.is((await attestor(['master-key', 'retire', keyId(old)], renewed)).code, 0)

    // The node that was started with the old key goes on, and its rows open with the new one.
    await opened.phone.upload('selfie')
    await opened.phone.liveness()
    await opened.phone.complete()
    await rig.idle()
    t.is((await rig.view(opened.id)).status, 'FINISHED')
    const trace = await attestor(['transaction', 'trace', opened.id], renewed)
    t.deepEqual([trace.code, trace.stderr], [0, ''])
    const refused = await attestor(['account', 'list'], environment)
    t.is(refused.stderr, 'MASTER_KEY: is not the key that this database is encrypted with\n')
    await rig.end(true)
    await t.throwsAsync(rig.begin(), { message: 'MASTER_KEY: is not the key that this database is encrypted with' })
  })

  inLongTier(test)(
    `${engine.name}: killed at any point, a rotation is done or not begun, and is done when it is run again`,
    async t => {
      const { store, database } = await openTestStore(t, engine, 2)
      await openServiceKeys(store, old)
      const keys = await readServiceKeys(store, old)
      const child = join(import.meta.dirname, 'rotate_child.ts')
      const kill = async (what: string, point: string, ...keys: readonly Buffer[]): Promise<void> => {
        const args = [child, what, point, urlOf(database), ...keys.map(key => key.toString('base64'))]
        const [, signal] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'close')
        t.is(signal, 'SIGKILL', `${what} ${point}`)
      }
      const opens = async (key: Buffer): Promise<boolean> => (await readMasterKeyIds(store)).includes(keyId(key))
      let present = old
      for (const [n, point] of ['commit.begun', 'commit.written', 'commit.durable'].entries()) {
        const next = Buffer.alloc(32, 20 + n)
        await kill('add', point, present, next)
        t.is(await opens(next), point === 'commit.durable', point)
        t.deepEqual(await readServiceKeys(store, present), keys)
        await addMasterKey(store, keys, next)
        t.deepEqual(await readServiceKeys(store, next), keys)
        await kill('retire', point, next, present)
        t.is(await opens(present), point !== 'commit.durable', point)
        t.deepEqual(await readServiceKeys(store, next), keys)
        present = next
      }
    },
  )
}

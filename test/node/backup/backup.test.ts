import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { silentLog } from '../../../src/base/log.ts'
import { readConfig } from '../../../src/config/settings.ts'
import { restoreBackup } from '../../../src/node/backup/restore.ts'
import { openNodeDatabase } from '../../../src/node/open_database.ts'
import { eachDialect, oneDialect } from '../../database.ts'
import { attestor, startCommand, urlOf } from '../../service/programs.ts'
import { type Opened, openRig, type Rig } from '../../service/rig.ts'

const master = Buffer.alloc(32, 7).toString('base64')

function folder(): { within: string; drop: () => void } {
  const within = mkdtempSync(join(tmpdir(), 'attestor-test-'))
  return { within, drop: () => rmSync(within, { recursive: true, force: true }) }
}

function environmentOf(rig: Rig): Record<string, string> {
  return {
    DATABASE_URL: urlOf(rig.database),
    MASTER_KEY: master,
    PATH: process.env.PATH ?? '',
  }
}

const hourMs = 3_600_000

/** Transactions of before the backup. */
interface Flights {
  readonly waiting: Opened
  readonly finished: Opened
  readonly result: object
  /** Its receiver fails. */
  readonly failing: Opened
  readonly event_id: unknown
}

async function openFlights(rig: Rig): Promise<Flights> {
  const waiting = await rig.open({ transaction_ttl_minutes: 60 })
  await waiting.phone.start()
  await rig.idle()
  const finished = await rig.open()
  await finished.phone.capture()
  await finished.phone.complete()
  await rig.idle()
  const result = await rig.view(finished.id)
  rig.hook.answer(() => ({ status: 500 }))
  const failing = await rig.open({ transaction_ttl_minutes: 1440 })
  await failing.phone.start()
  await failing.phone.upload('document/front')
  const { event_id } = (await rig.hook.seen(({ body }) => body.transaction_id === failing.id)).body
  await rig.idle()
  return { waiting, finished, result, failing, event_id }
}

/** Writes go on all the time that `work` takes. */
async function underLoad<T>(rig: Rig, work: () => Promise<T>): Promise<{ made: T; written: number }> {
  let isRunning = true
  let written = 0
  const load = (async () => {
    for (; isRunning; written++) await rig.open()
  })()
  const made = await work()
  isRunning = false
  await load
  return { made, written }
}

/**
 * Checks the transactions two hours later: timers have fired, the receiver has its event, and captured ones go on to a
 * result.
 */
async function checkFlights(t: ExecutionContext, rig: Rig, flights: Flights): Promise<void> {
  const { waiting, finished, result, failing, event_id } = flights
  t.is((await rig.view(waiting.id)).status, 'EXPIRED')
  t.like(result, { status: 'FINISHED' })
  t.deepEqual(await rig.view(finished.id), result)
  const sent = rig.hook.received.filter(({ body }) => body.transaction_id === failing.id)
  t.true(sent.length > 1)
  t.is(sent.at(-1)?.body.event_id, event_id)
  const [delivery] = await rig.rows('SELECT status FROM deliveries WHERE transaction_id = ?', failing.id)
  t.is(delivery?.status, 'DELIVERED')
  const { phone } = failing
  await phone.upload('selfie')
  await phone.liveness()
  await phone.complete()
  await rig.idle()
  t.is((await rig.view(failing.id)).status, 'FINISHED')
}

for (const engine of oneDialect) {
  test(`${engine.name}: a backup under load is restored whole, and the timers that became due meanwhile fire`, async t => {
    const rig = await openRig(engine)
    const { within, drop } = folder()
    t.teardown(async () => {
      await rig.close()
      drop()
    })
    const environment = environmentOf(rig)
    const file = join(within, 'backup')
    const flights = await openFlights(rig)
    const { made, written } = await underLoad(rig, () => attestor(['backup', file, '--json'], environment))
    t.deepEqual([made.code, made.stderr], [0, ''])
    const manifest = JSON.parse(made.stdout) as { rows: Record<string, number> }
    t.deepEqual({ file, ...JSON.parse(readFileSync(`${file}.manifest.json`, 'utf8')) }, manifest)
    t.true(written > 0 && Number(manifest.rows.transactions) >= 3)
    t.is(statSync(file).mode & 0o777, 0o600)
    const content = readFileSync(file)
    t.false(content.includes(Buffer.from(master, 'base64')) || content.includes(master))
    const again = await attestor(['backup', file], environment)
    t.deepEqual([again.code, again.stderr], [1, `FILE: ${file} exists; backups overwrite nothing\n`])

    const lost = await rig.open()
    const inUse = await attestor(['restore', file, '--replace'], environment)
    t.is(inUse.code, 1)
    t.regex(inUse.stderr, /^DATABASE_URL: .*: stop the nodes first\n$/)
    await rig.end(true)
    const refused = await attestor(['restore', file], environment)
    t.is(refused.code, 1)
    t.regex(refused.stderr, /^DATABASE_URL: .*; --replace puts the backup in its place\n$/)
    const restored = await attestor(['restore', file, '--replace', '--json'], environment)
    t.deepEqual([restored.code, restored.stderr], [0, ''])

    // Two hours later.
    rig.hook.answer(() => ({ status: 204 }))
    await rig.clock.advance(2 * hourMs)
    await rig.begin()
    await rig.advance(0)
    await checkFlights(t, rig, flights)
    t.is((await rig.view(lost.id)).error, 'transaction_id: not found')
  })

  test(`${engine.name}: nothing is restored with another key, from a damaged file, or without its manifest`, async t => {
    const rig = await openRig(engine)
    const { within, drop } = folder()
    t.teardown(async () => {
      await rig.close()
      drop()
    })
    const environment = environmentOf(rig)
    const file = join(within, 'backup')
    await rig.open()
    t.is((await attestor(['backup', file], environment)).code, 0)
    await rig.end(true)
    const fails = async (says: RegExp, more: Record<string, string> = {}): Promise<void> => {
      const { code, stdout, stderr } = await attestor(['restore', file, '--replace'], { ...environment, ...more })
      t.deepEqual([code, stdout], [1, ''])
      t.regex(stderr, says)
    }
    await fails(/^MASTER_KEY: is the key [\da-f]{16}; the backup is encrypted with [\da-f]{16}\n$/, {
      MASTER_KEY: Buffer.alloc(32, 8).toString('base64'),
    })
    const text = readFileSync(`${file}.manifest.json`, 'utf8')
    const content = readFileSync(file)
    const manifest = JSON.parse(text) as { engine: string; migrations: string[]; rows: Record<string, number> }
    const rewrite = (change: object): void =>
      writeFileSync(`${file}.manifest.json`, JSON.stringify({ ...manifest, ...change }))
    rewrite({ engine: manifest.engine === 'mysql' ? 'sqlite' : 'mysql' })
    await fails(/^FILE: is a backup of .*, and DATABASE_URL names .*\n$/)
    rewrite({ migrations: [...manifest.migrations, 'Later1999999999999'] })
    await fails(/^FILE: a newer version \(.*\) made it: this build lacks Later1999999999999\n$/)
    writeFileSync(`${file}.manifest.json`, text)
    writeFileSync(file, Buffer.concat([content.subarray(0, -1), Buffer.from([1])]))
    await fails(/^FILE: is damaged: its SHA-256 is not that of its manifest\n$/)
    writeFileSync(file, content)
    rmSync(`${file}.manifest.json`)
    await fails(/^FILE: its manifest is missing: .*\n$/)
    await rig.begin()
    t.is((await rig.rows('SELECT id FROM transactions')).length, 1)
  })
}

for (const engine of oneDialect)
  test(`${engine.name}: the rest of a killed backup or restore goes with the next backup or start, and a file being written stays`, async t => {
    const rig = await openRig(engine)
    const { within, drop } = folder()
    t.teardown(async () => {
      await rig.close()
      drop()
    })
    const environment = environmentOf(rig)
    const anHourAgo = (Date.now() - hourMs) / 1000
    const draft = (at: string, age: number) => {
      writeFileSync(at, 'half')
      utimesSync(at, anHourAgo - age, anHourAgo - age)
      return at
    }
    const old = draft(join(within, 'other.attestor-draft'), 60)
    const recent = draft(join(within, 'recent.attestor-draft'), -1800)
    t.is((await attestor(['backup', join(within, 'backup')], environment)).code, 0)
    t.deepEqual([existsSync(old), existsSync(recent)], [false, true])
    await rig.end(true)
    const config = readConfig({ ...environment, DATABASE_URL: `sqlite:${join(within, 'a.sqlite')}` })
    const restoring = draft(join(within, 'a.sqlite.attestor-draft'), 60)
    const { store } = await openNodeDatabase({ config, log: silentLog })
    await store.close()
    t.deepEqual([existsSync(restoring), existsSync(recent)], [false, true])
    const nowhere = await attestor(['backup', join(within, 'none', 'backup')], environment)
    t.regex(nowhere.stderr, /none: ENOENT/)
    t.not(nowhere.code, 0)
  })

const mariadb = oneDialect.find(({ name }) => name === 'MariaDB')

if (mariadb !== undefined)
  test('a tool that is not installed is named', async t => {
    const rig = await openRig(mariadb)
    const { within, drop } = folder()
    t.teardown(async () => {
      await rig.close()
      drop()
    })
    const command = startCommand(['backup', join(within, 'backup')], { ...environmentOf(rig), PATH: within })
    t.is(await command.ended, 1)
    t.is(
      command.stderr(),
      'PATH: has neither mariadb-dump nor mysqldump: install the client programs of your database server\n',
    )
  })

const server = eachDialect.find(({ name }) => name === 'MariaDB')

if (server !== undefined)
  test('a database whose restore was interrupted is refused by name, until a whole one has ended', async t => {
    const rig = await openRig(server)
    const { within, drop } = folder()
    t.teardown(async () => {
      await rig.close()
      drop()
    })
    const environment = environmentOf(rig)
    const file = join(within, 'backup')
    const { id } = await rig.open()
    t.is((await attestor(['backup', file], environment)).code, 0)
    await rig.end(true)
    const config = readConfig(environment)
    const interrupted = restoreBackup({
      config,
      clock: rig.clock,
      file,
      replace: true,
      onProgress: what => {
        if (what.startsWith('restoring')) throw new Error('killed')
      },
    })
    await t.throwsAsync(interrupted)
    for (const words of [['doctor'], ['migrate'], ['account', 'list']]) {
      const { code, stdout, stderr } = await attestor(words, environment)
      t.not(code, 0, words[0])
      t.regex(
        `${stdout}${stderr}`,
        /a restore of this database was interrupted: run `attestor restore` again/,
        words[0],
      )
    }
    t.regex((await attestor(['doctor'], environment)).stdout, /Run attestor restore again/)
    await t.throwsAsync(openNodeDatabase({ config, log: silentLog }), { message: /restore .* was interrupted/ })
    t.deepEqual(
      (await attestor(['restore', file, '--json'], environment)).code,
      0,
      'it was begun: --replace is not needed',
    )
    await rig.begin()
    t.is((await rig.view(id)).status, 'CREATED')
  })

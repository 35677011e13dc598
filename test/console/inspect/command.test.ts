import { once } from 'node:events'
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import { newId } from '../../../src/base/ids.ts'
import { oneDialect, sqlite, type TestDatabase } from '../../database.ts'
import { transactionEvents } from '../../machines/events.ts'
import { attestor, startCommand, urlOf } from '../../service/programs.ts'
import { openReading } from './rig.ts'
import { eventsFrom } from './steps_from.ts'

const [start] = transactionEvents('a')
if (start === undefined) throw new Error('no event')

function environmentOf(database: TestDatabase) {
  return {
    DATABASE_URL: urlOf(database),
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
}

/** Starts the command; resolves with the address that it says first. */
async function inspect(t: ExecutionContext, database: TestDatabase, ...words: string[]) {
  const { child, ended } = startCommand(['inspect', ...words], environmentOf(database))
  t.teardown(() => child.kill('SIGKILL'))
  if (child.stdout === null) throw new Error('no output')
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const stop = () => {
    child.kill('SIGTERM')
    return ended
  }
  return { url: line.replace('Inspector: ', ''), stop }
}

for (const engine of oneDialect)
  test(`On ${engine.name} attestor inspect shows what another process commits, as it does`, async t => {
    const rig = await openReading(t, engine)
    const id = await rig.open()
    const other = await rig.open()
    const { url, stop } = await inspect(t, rig.database, id)
    t.regex(url, /^http:\/\/127\.0\.0\.1:\d+\/#\S{43}$/)
    const events = eventsFrom(url)
    t.deepEqual((await events.next()).value, [id, 'CREATE'])
    await rig.send(other, start)
    await rig.send(id, start)
    t.deepEqual((await events.next()).value, [id, 'START'], 'of the transaction that was named alone')
    t.is((await events.next()).value?.[1], 'CREATE', 'and of its delivery')
    await rig.send(id, { type: 'CANCEL' })
    t.deepEqual((await events.next()).value, [id, 'CANCEL'])
    t.is(await stop(), 0)
  })

test('attestor inspect refuses unknown arguments, and a transaction that does not exist', async t => {
  const { database } = await openReading(t, sqlite)
  for (const [words, code, says] of [
    [[newId()], 1, /^transaction_id: not found$/],
    [['nobody'], 2, /'transaction_id'\. It must be an id\.$/],
    [['--speed', '-1'], 2, /'--speed .* It must be a number from 0\.001 to 1000000\.$/],
    [['--newest', 'all'], 2, /'--newest .* It must be a number from 1 to 10000\.$/],
    [['--stately-url', 'file:///etc/passwd'], 2, /It must be an http or https URL\.$/],
  ] as const) {
    const refused = await attestor(['inspect', ...words], environmentOf(database))
    t.is(refused.code, code)
    t.regex(refused.stderr.split('\n')[0] ?? '', says)
  }
})

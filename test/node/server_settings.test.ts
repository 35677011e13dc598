import test from 'ava'
import { findServerFaults, judgeServer, minPacketBytes } from '../../src/node/server_settings.ts'
import { eachDialect, openTestStore } from '../database.ts'

const good = { max_allowed_packet: minPacketBytes, max_connections: 15, user_connections: 0, flush_at_commit: 1 }

test('settings of a database server that fail images, run out or lose commits are named', t => {
  t.deepEqual(judgeServer(good, 10), [])
  const faultsOf = (bad: Partial<typeof good>) =>
    judgeServer({ ...good, ...bad }, 10).map(({ isFatal, message }) => [isFatal, message.split(' ')[0]])
  t.deepEqual(faultsOf({ max_allowed_packet: 2 ** 20 }), [[true, 'max_allowed_packet']])
  t.deepEqual(faultsOf({ max_connections: 14 }), [[false, 'max_connections']])
  t.deepEqual(faultsOf({ user_connections: 1 }), [[false, 'max_user_connections']])
  t.deepEqual(faultsOf({ user_connections: 100 }), [])
  t.deepEqual(faultsOf({ flush_at_commit: 2 }), [[false, 'innodb_flush_log_at_trx_commit']])
})

for (const engine of eachDialect)
  test(`On ${engine.name} the settings are read`, async t => {
    const { store } = await openTestStore(t, engine, 2)
    const messages = async (connections: number) =>
      (await findServerFaults(store, connections)).map(({ message }) => message).join()
    t.notRegex(await messages(2), /max_allowed_packet|max_connections/)
    if (store.hostName() === null) t.is(await messages(1_000_000), '')
    else t.regex(await messages(1_000_000), /max_connections of the database server is \d+, and .* 1000000/)
  })

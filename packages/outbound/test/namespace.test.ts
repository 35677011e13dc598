import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'

const run = promisify(execFile)
const child = join(import.meta.dirname, 'namespace_child.ts')

/** Loopback alone, and every address routed to it. */
const inside = `ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo && exec "$@"`

function namespaced(flags: string, ...words: string[]) {
  return run('unshare', [flags, 'sh', '-c', inside, 'sh', ...words], { maxBuffer: 1_000_000 })
}

/** Options for root, or for a user namespace if the system has them; null if it has neither. */
const flags = await namespaced('-n', 'true')
  .then(() => '-n')
  .catch(() => namespaced('-rn', 'true').then(() => '-rn'))
  .catch(() => null)

const title =
  'in a network where every address answers, no special one is reached, by whatever spelling, name or redirect'

if (flags === null)
  test(`${title} (not here: this machine lets nobody make a network namespace)`, t => {
    t.is(flags, null)
  })
else
  test(title, async t => {
    const { stdout } = await namespaced(flags, process.execPath, child)
    const said = JSON.parse(stdout)
    t.log(stdout.trim())
    t.is(said.reached, 0)
    t.true(said.refused > 1500)
    t.is(said.public_reached, 3, 'what is allowed is dialled: the guard does not just refuse everything')
    t.is(said.redirected, 1, 'a redirect to the metadata address was received, and not followed')
    t.true(said.controls_reached > said.controls / 2, 'without the guard most of these addresses are reached')
  })

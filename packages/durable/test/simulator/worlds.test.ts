import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { rounds } from '../../../../test/tier.ts'
import { quickWorlds } from './draws.ts'

/** A world leaves much garbage and little else: threads that collect it cost a tenth more. */
const flags = ['--single-threaded-gc', '--min-semi-space-size=32']

/** A process of its own: a world draws every random number, and waits for every turn of the event loop. */
async function hunt(...args: readonly string[]): Promise<string> {
  const ran = await promisify(execFile)(process.execPath, [
    ...flags,
    join(import.meta.dirname, 'hunt.ts'),
    ...args,
  ]).catch((failed: { readonly stdout: string; readonly stderr: string }) => failed)
  return ran.stdout + ran.stderr
}

const worlds = rounds(quickWorlds, 20_000)

test.serial(`${worlds} worlds of nodes, clocks, databases and crashes keep every promise`, async t => {
  const said = await hunt('--worlds', String(worlds))
  t.regex(said, /nothing found/)
  t.log(said.trim())
})

test.serial('A seed leads to the same world each time, and so does its tape', async t => {
  t.regex(await hunt('--worlds', '8', '--again'), /nothing found/)
})

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { rounds } from '../../../../test/tier.ts'
import { quickWorlds } from './draws.ts'

/** A world leaves much garbage and little else: threads that collect it cost a tenth more. */
const flags = ['--single-threaded-gc', '--min-semi-space-size=32']

const worlds = rounds(quickWorlds, 20_000)

// The hunt runs in a process of its own: a world draws every random number, and waits for every turn of the event loop.
test(`${worlds} worlds of nodes, clocks, databases and crashes keep every promise, and a seed leads to the same again`, async t => {
  const hunt = join(import.meta.dirname, 'hunt.ts')
  const args = [...flags, hunt, '--worlds', String(worlds), '--again', '8']
  const ran = await promisify(execFile)(process.execPath, args).catch(
    (failed: { readonly stdout: string; readonly stderr: string }) => failed,
  )
  const said = ran.stdout + ran.stderr
  t.regex(said, /nothing found/)
  t.log(said.trim())
})

test('A job that outlasts the storm brings no trouble after it', async t => {
  // Three jobs of a storm paused their node one after the other when it was over, and a timer waited for the locks.
  const args = [join(import.meta.dirname, 'hunt.ts'), '--short', '--from', '4150763', '--worlds', '1']
  const { stdout } = await promisify(execFile)(process.execPath, args)
  t.regex(stdout, /nothing found/)
})

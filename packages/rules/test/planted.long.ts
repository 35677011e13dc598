import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { loadGroup } from '../../../test/grouped.ts'
import { readPlanted } from '../../../test/planting.ts'
import { ruleFaults } from './planted.ts'

const here = import.meta.dirname
const root = join(here, '..', '..', '..')

/** Number of faults that may be missed; each is named in the log. */
const mayMiss = 2

/** Returns ava's output of the package's quick tests in a process that has the fault. */
async function runQuickTests(planted: number): Promise<string> {
  const ava = join(root, 'node_modules', 'ava', 'entrypoints', 'cli.js')
  const ran = await promisify(execFile)(process.execPath, [ava, '--fail-fast', '--serial', import.meta.filename], {
    cwd: root,
    env: {
      ...process.env,
      TEST_TIER: 'quick',
      PLANTED_FAULT: String(planted),
      NODE_OPTIONS: `--import=${pathToFileURL(join(here, 'planting.ts'))}`,
    },
  }).catch((failed: { readonly stdout: string; readonly stderr: string }) => failed)
  return ran.stdout + ran.stderr
}

// The process that has a fault runs the quick tests instead, in one group.
if (readPlanted() !== null)
  await loadGroup(
    globSync('*.test.ts', { cwd: here })
      .sort()
      .map(file => join(here, file)),
  )
else {
  test.serial('The quick tests pass in a group', async t => {
    t.regex(await runQuickTests(ruleFaults.length), /\d+ tests passed/)
  })
  test.serial('The quick tests find the faults that are planted in the rules', async t => {
    t.timeout(3_600_000)
    const missed: string[] = []
    for (const [index, { name }] of ruleFaults.entries()) {
      const said = await runQuickTests(index)
      if (/^\s*\d+ tests? failed/m.test(said)) continue
      t.regex(said, /\d+ tests passed/, name)
      missed.push(name)
    }
    t.log(
      `${ruleFaults.length - missed.length} of ${ruleFaults.length} are found; missed: ${missed.join('; ') || 'none'}`,
    )
    t.true(missed.length <= mayMiss)
  })
}

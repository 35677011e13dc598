import test from 'ava'
import { viewPicture } from '../print/page.ts'
import { readLine } from '../print/read_lines.ts'

const characters = ['', 'V', 'I', 'J', 'j', 'A', 'Y', ' ']

/** Reads a line with a network that gives these chances of characters, step by step; the rest is the chance of none. */
async function read(
  steps: readonly Readonly<Record<string, number>>[],
): Promise<readonly (readonly [string, number])[]> {
  const data = new Float32Array(steps.length * characters.length)
  for (const [step, chances] of steps.entries()) {
    const all = { '': 1 - Object.values(chances).reduce((sum, one) => sum + one, 0), ...chances }
    for (const [sign, chance] of Object.entries(all)) data[step * characters.length + characters.indexOf(sign)] = chance
  }
  const run = async () => ({ data, dims: [1, steps.length, characters.length] })
  const page = viewPicture({ data: new Uint8Array(3 * 96 * 48), width: 96, height: 48 })
  const box = { x: 48, y: 24, width: 96, height: 48, along: [1, 0] } as const
  const { words } = await readLine({ find: run, read: run, turn: run, characters }, page, box)
  return words.map(({ text, sure }) => [text, sure] as const)
}

test('a J that is read as both its sizes counts, in the likelier one, and once', async t => {
  const around = (js: readonly Readonly<Record<string, number>>[]) => [{ V: 0.9 }, {}, ...js, {}, { A: 0.9 }]
  t.deepEqual(await read(around([{ J: 0.34, j: 0.11 }])), [['VA', 0.9]], 'none is likelier than both')
  t.deepEqual(await read(around([{ J: 0.34, j: 0.21 }])), [['VJA', 0.55]])
  t.deepEqual(await read(around([{ J: 0.21, j: 0.34 }])), [['VjA', 0.55]])
  t.deepEqual(
    await read(
      around([
        { J: 0.6, j: 0.3 },
        { J: 0.3, j: 0.6 },
      ]),
    ),
    [['VJA', 0.9]],
    'over two steps',
  )
  t.deepEqual(await read(around([{ J: 0.6, j: 0.3 }, {}, { J: 0.3, j: 0.6 }])), [['VJjA', 0.9]], 'with none between')
})

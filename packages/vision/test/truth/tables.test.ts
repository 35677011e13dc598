import test from 'ava'
import { written } from '../../../../src/cli/intervals.ts'
import type { Outcome } from '../../bench/truth/cases.ts'
import { gateTables } from '../../bench/truth/gate_table.ts'
import { bandTable, pairTables, tradeOff } from '../../bench/truth/trade_off.ts'

test('a stricter limit matches fewer of others and misses more of the same', t => {
  const distances = { same: [0.2, 0.47, 0.61], other: [0.48, 0.52, 0.64, 0.9] }
  const lines = tradeOff(new Map([['', distances]])).split('\n')
  t.true(lines.includes(`| 0.50 | ${written(1, 4)} | ${written(1, 3)} |`))
  t.true(lines.includes(`| 0.45 | ${written(0, 4)} | ${written(2, 3)} |`))
  t.true(lines.includes(`| 0.65 | ${written(3, 4)} | ${written(0, 3)} |`))
})

test('the curve and the band are of each side of the split', t => {
  const sides = new Map([
    ['calibration', { same: [0.2, 0.55, 0.64, 0.7], other: [0.53, 0.9] }],
    ['validation', { same: [0.58], other: [0.4] }],
  ])
  const curve = tradeOff(sides).split('\n')
  t.regex(curve[0] ?? '', /false match, calibration \| false match, validation \| false non-match, calibration \| /)
  t.true(
    curve.includes(
      `| 0.45 | ${[
        [0, 2],
        [1, 1],
        [3, 4],
        [1, 1],
      ]
        .map(([k = 0, n = 0]) => written(k, n))
        .join(' | ')} |`,
    ),
  )
  const band = bandTable(sides).split('\n')
  t.is(band.length, 2 + 3 * 2)
  // The default limits: accepted up to 0.45, reported as two people above 0.65.
  const [first, second] = [
    [
      [2, 4],
      [1, 4],
      [1, 2],
      [0, 2],
    ],
    [
      [1, 1],
      [0, 1],
      [0, 1],
      [1, 1],
    ],
  ].map(cells => cells.map(([k = 0, n = 0]) => written(k, n)).join(' | '))
  t.true(band.includes(`| 0.001: 0.45 to 0.65, calibration | ${first} |`))
  t.true(band.includes(`| 0.001: 0.45 to 0.65, validation | ${second} |`))
})

test('a gate is counted by what it refuses, and by what no other gate would have', t => {
  const selfie = (expect: string | undefined, faults: readonly string[], found = true): Outcome => ({
    kind: 'face',
    seed: 1,
    condition: 'own',
    format: 'any',
    checks: { found },
    cpu_ms: {},
    detail: { expect, faults: faults.map(name => ({ name, score: 0 })) },
  })
  const selfies = [
    selfie('usable', []),
    selfie('usable', ['turn']),
    selfie('COVERED', ['turn', 'lip_colour']),
    selfie('COVERED', ['lip_colour', 'lip_colour']),
    selfie('COVERED', [], false),
    selfie(undefined, ['turn']),
  ]
  const lines = gateTables(selfies).split('\n')
  t.deepEqual(lines.slice(2), [
    `| \`lip_colour\` | ${written(0, 2)} | 0 | ${written(2, 3)} | 1 |`,
    `| \`turn\` | ${written(1, 2)} | 1 | ${written(1, 3)} | 0 |`,
    `| not one face | ${written(0, 2)} | 0 | ${written(1, 3)} | 1 |`,
  ])
  const halves = selfies.map((one, n) => ({ ...one, split: n % 2 === 0 ? 'calibration' : 'validation' }))
  t.is(
    gateTables(halves)
      .split('\n')
      .filter(line => line.startsWith('| Gate')).length,
    3,
  )
  t.is(gateTables([selfie(undefined, ['turn'])]), '')
})

test('pairs of two photographs in colour have tables of their own beside all pairs', t => {
  const pair = (conditions: readonly string[]): Outcome => ({
    kind: 'pair',
    seed: 1,
    condition: 'mixed',
    format: 'any',
    cpu_ms: {},
    checks: { same_not_passed: null },
    detail: { conditions, distance: 0.9 },
  })
  const headings = (pairs: readonly Outcome[]) => pairTables(pairs).match(/^.*:$/gm)
  t.deepEqual(headings([pair(['photo', 'selfie']), pair(['photo', 'mask'])]), [
    'All pairs:',
    'Two photographs in colour:',
  ])
  t.deepEqual(headings([pair(['mask', 'mask'])]), ['All pairs:'])
})

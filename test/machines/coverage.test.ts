import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { inLongTier } from '../tier.ts'
import { type Coverage, coverageFolder, coverages, coverageTable, drawCoverage } from './coverage.ts'

function pictureOf({ machine }: Coverage): string {
  return readFileSync(join(coverageFolder, `${machine.id}.svg`), 'utf8')
}

for (const coverage of coverages) {
  test(`The picture of the ${coverage.machine.id} chart's coverage is fresh`, async t => {
    t.is(pictureOf(coverage), await drawCoverage(coverage), 'run `npm run machines:coverage`')
    t.is(pictureOf(coverage).split('class="transition covered"').length - 1, coverage.counts.size)
  })

  inLongTier(test)(`A transition of the ${coverage.machine.id} chart that no path takes is seen`, async t => {
    const [left = '', ...others] = coverage.counts.keys()
    const paths = coverage.paths.filter(({ transitions }) => !transitions.includes(left))
    const counts = new Map([[left, 0], ...others.map(name => [name, coverage.counts.get(name) ?? 0] as const)])
    const picture = await drawCoverage({ ...coverage, paths, counts })
    const [, ...uncovered] = picture.split('class="transition uncovered" data-transition="')
    t.deepEqual(
      uncovered.map(part => part.split('"')[0]),
      [left],
    )
    t.true(picture.includes('>not covered</text>'))
  })
}

test('The figures of the documentation are fresh', t => {
  const text = readFileSync(join(coverageFolder, '../charts.md'), 'utf8')
  t.true(text.includes(coverageTable()), 'run `npm run machines:coverage`, which prints them')
})

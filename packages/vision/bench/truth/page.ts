import { readFileSync, writeFileSync } from 'node:fs'
import type { Outcome } from './cases.ts'
import { type LimitRow, limitTable } from './limits.ts'
import { report, summary } from './report.ts'

const page = new URL('../../../../lab/bench/results/drawn.md', import.meta.url)

const measuredPart = /(<!-- measured: analysis -->\n)[\s\S]*?(\n<!-- \/measured -->)/

/** Writes the tables into lab/bench/results/drawn.md, between its marks. Throws if they are missing. */
export function writeTables(
  what: string,
  { outcomes, limits }: { readonly outcomes: readonly Outcome[]; readonly limits: readonly LimitRow[] },
): void {
  const text = readFileSync(page, 'utf8')
  if (!measuredPart.test(text))
    throw new Error('lab/bench/results/drawn.md: the marks of the measured part are missing')
  const each = `<details><summary>By condition and format</summary>\n\n${report(outcomes)}\n\n</details>`
  const parts = [what, summary(outcomes), ...(limits.length > 0 ? [limitTable(limits)] : []), each]
  writeFileSync(
    page,
    text.replace(measuredPart, (_, start: string, end: string) => start + parts.join('\n\n') + end),
  )
}

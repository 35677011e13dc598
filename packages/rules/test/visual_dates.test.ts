import test from 'ava'
import type { VisualZone } from '../findings.ts'
import { hasDate, matchBirthDate } from '../visual_dates.ts'
import { today } from './findings_samples.ts'

function textOf(lines: readonly string[]): VisualZone {
  return {
    lines: lines.map(line => line.split(' ')),
    legibility: { score: 20, threshold: 8 },
  }
}

test('dates are read in the orders, separators and languages of documents, with years of two digits or four', t => {
  const written = [
    '12.08.1964',
    '12/08/1964',
    '08/12/1964',
    '1964-08-12',
    '12 08 1964',
    '12 081964',
    '12-08-64',
    'O8.12.l964',
    '12 AUG 1964',
    '12 AUG 64',
    '12 AUG/AOÛT 1964',
    '12 AOÛT 1964',
    '12 AGO 1964',
    '12. August 1964',
  ]
  t.true(hasDate('640812', textOf(['1 2/08 1964'])), 'digits of a day that were read apart')
  t.false(hasDate('640812', textOf(['3 1 2/08/1964'])), 'no number runs into a day')
  for (const date of written) t.true(hasDate('640812', textOf([`x ${date} y`])), date)
  const months = ['JANV', 'FÉVR', 'MÄRZ', 'ABR', 'MAI', 'JUIN', 'JUIL', 'AOÛ', 'SEPT', 'OKT', 'NOV', 'DEZ']
  for (const [at, month] of months.entries()) {
    t.true(hasDate(`64${String(at + 1).padStart(2, '0')}03`, textOf([`3 ${month} 1964`])), month)
  }
  for (const none of ['12 XYZ 1964', '32.13.1964', '12.08.2964', '1234567']) {
    t.false(hasDate('640812', textOf([none])), none)
  }
})

test('a date contradicts a birth only if it can be of nothing else', t => {
  const score = (lines: string[]): number | null => matchBirthDate('640812', textOf(lines), today)
  t.is(score(['12.08.1964', '31.10.2030']), 1)
  t.is(score(['31.10.2020', '31.10.2030']), null, 'issue and expiry')
  t.is(score(['31 OCT 20', '31 OCT 30']), null)
  t.true((score(['03.02.1991']) ?? 1) < 0.5)
  t.is(score([]), null)
})

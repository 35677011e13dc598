/**
 * Measures the search for expected data on cards of no known layout: `node packages/vision/bench/unknown_card.ts [photos
 * [seed]]`, with `100-110` as photos those from the hundredth on, one of each layout but China's. All layouts are left
 * out, and the holder's names, birth and number are sought in two readings. Prints on how many photos all are found,
 * with the number and without it, and on how many pairs another holder's data is, or one that is partly wrong.
 *
 * `READINGS=DIR` keeps photos and readings, those of `national_card.ts` too, and goes on where an earlier run ended.
 */

import type { DocumentFindings } from '@attestor/rules'
import { matchesExpected } from '@attestor/rules/testing'
import { written } from '../../../src/cli/intervals.ts'
import { openCardPhotos, type ShownCard } from './card_photos.ts'

type Expected = Parameters<typeof matchesExpected>[1]

const range = (process.argv[2] ?? '10').split('-').map(Number)
const [firstPhoto, endPhoto] = [range.length > 1 ? (range[0] ?? 0) : 0, range.at(-1) ?? 0]
const photos = await openCardPhotos(Number(process.argv[3] ?? 8_100_000), process.env.READINGS ?? null)

interface ReadCard extends ShownCard {
  readonly findings: DocumentFindings
}

const read: ReadCard[] = []
for (let n = firstPhoto; n < endPhoto; n++)
  for (const card of photos.list(n)) {
    // No rule compares names in Chinese with Latin ones.
    if (card.layout.country === 'CN') continue
    const print = await photos.read(card, false)
    const findings = { reading: 'NOT_READABLE', print: null, unknown_print: print?.unknown ?? null }
    read.push({ ...card, findings: findings as DocumentFindings })
  }

function withoutNumber(holder: Expected): Expected {
  return { ...holder, document_number: null }
}

function changeDigit(value: string, at: number): string {
  return value.slice(0, at) + ((Number(value[at]) + 1) % 10) + value.slice(at + 1)
}

/** Counts the pairs of a card and another holder on which `expect` is found; null is no pair. */
function count(
  name: string,
  expect: (own: ShownCard, other: ShownCard) => Expected | null,
  pairs: 'own' | 'others',
): void {
  let [found, all] = [0, 0]
  for (const card of read)
    for (const other of pairs === 'own' ? [card] : read) {
      const expected = pairs === 'others' && other === card ? null : expect(card, other)
      if (expected === null) continue
      all++
      if (!matchesExpected(card.findings, expected)) continue
      found++
      if (pairs === 'others') process.stderr.write(`${name}: ${card.layout.name} ${JSON.stringify(expected)}\n`)
    }
  console.log(`${name}: ${written(found, all)}`)
}

count('own data with the number', ({ holder }) => holder, 'own')
count('own data without the number', ({ holder }) => withoutNumber(holder), 'own')
count(
  'a birth with another digit',
  ({ holder }) => withoutNumber({ ...holder, date_of_birth: changeDigit(holder.date_of_birth, 3) }),
  'own',
)
count(
  'a number with another digit',
  ({ holder }) => {
    const at = holder.document_number.search(/\d(?=\D*$)/)
    return at === -1 ? null : { ...holder, document_number: changeDigit(holder.document_number, at) }
  },
  'own',
)
/** Whether two people of one state have no word of a name in common: a shorter or longer name is not another one. */
function differ(one: ShownCard, other: ShownCard, name: 'last_name' | 'first_name'): boolean {
  const own = one.holder[name].split(' ')
  return one.layout.country === other.layout.country && !other.holder[name].split(' ').some(word => own.includes(word))
}

count(
  'another person’s data',
  ({ holder }, other) =>
    holder.last_name === other.holder.last_name && holder.date_of_birth === other.holder.date_of_birth
      ? null
      : withoutNumber(other.holder),
  'others',
)
for (const name of ['last_name', 'first_name'] as const)
  count(
    `own data with another ${name}`,
    (own, other) => (differ(own, other, name) ? withoutNumber({ ...own.holder, [name]: other.holder[name] }) : null),
    'others',
  )

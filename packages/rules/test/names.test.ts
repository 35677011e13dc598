import { seeded } from '@attestor/vision/synthetic'
import test from 'ava'
import { specimenMrz } from '../../../src/engines/scripted.ts'
import { rounds } from '../../../test/tier.ts'
import type { CheckStatus } from '../decision.ts'
import { checkExpected } from '../expected_checks.ts'
import { type Holder, readMrzHolder } from '../holder.ts'
import { compareSurnames, nameThreshold } from '../names.ts'
import { type InventedName, inventName, spellings, writeName } from './invented_names.ts'

type Names = { readonly first_name?: string | null; readonly last_name?: string | null }

const holder = readMrzHolder(specimenMrz, { today: '2026-06-01' })

/** Returns the statuses of the first name and the last one. */
function judge(printed: Names, expected: Names): (CheckStatus | undefined)[] {
  const results = checkExpected({ ...holder, ...printed } as Holder, expected)
  return results.slice(0, 2).map(({ check }) => check.status)
}

for (const [way, spell] of Object.entries(spellings))
  test(`a person is never rejected for the spelling of a name: ${way}`, t => {
    const random = seeded(47)
    for (let round = 0; round < rounds(150, 5000); round++) {
      const name = inventName(random)
      const expected = spell(name, random)
      t.deepEqual(judge(writeName(name), expected), ['PASSED', 'PASSED'], JSON.stringify([writeName(name), expected]))
    }
  })

function shareWord(one: InventedName, other: InventedName): boolean {
  return one.lasts.some(({ word }) => other.lasts.some(last => last.word === word))
}

test('another person is rejected, in all but one of a thousand; by the surname alone, in all but five, of which two pass', t => {
  const random = seeded(48)
  const count = { all: 0, missed: 0, surname: 0, passed: 0 }
  for (let round = 0; round < rounds(1000, 60_000); round++) {
    const [one, other] = [inventName(random), inventName(random)]
    if (shareWord(one, other)) continue
    const [printed, expected] = [writeName(one), writeName(other)]
    count.all++
    if (!judge(printed, expected).includes('REJECTED')) count.missed++
    const [, surname] = judge(printed, { last_name: expected.last_name })
    if (surname !== 'REJECTED') count.surname++
    if (surname === 'PASSED') count.passed++
  }
  t.log(count)
  t.true(count.missed <= count.all / 1000)
  t.true(count.surname <= count.all / 200)
  t.true(count.passed <= count.all / 500)
})

const same: readonly (readonly [expected: string, printed: string])[] = [
  ['Morgenstern-Keller', 'KELLER MORGENSTERN'],
  ['Santos', 'DA SILVA PEREIRA SANTOS'],
  ['da Silva', 'DA SILVA PEREIRA SANTOS'],
  ['Garcia', 'GARCIA MARQUEZ'],
  ['García Márquez', 'MARQUEZ'],
  ['van der Berg', 'BERG'],
  ['Berg', 'VAN DER BERG'],
  ['Vandenberg', 'VAN DEN BERG'],
  ['De La Cruz', 'DELACRUZ SANTOS'],
  ['Al-Hashimi', 'HASHIMI'],
  ['Mr. Keller', 'KELLER'],
  ['Keller', 'DR KELLER'],
  ["O'Brien", 'O BRIEN SMITH'],
  ['MacDonald', 'MC DONALD'],
  ['Lopez Garcia', 'GRACIA LOPES'],
  ['Le', 'LE'],
]

for (const [expected, printed] of same)
  test(`${expected} is ${printed}`, t => {
    t.true((compareSurnames(expected, printed) ?? 0) >= nameThreshold)
    t.true((compareSurnames(printed, expected) ?? 0) >= nameThreshold)
  })

const different: typeof same = [
  ['García López', 'GARCIA PEREZ'],
  ['Oliver Brown', 'OLIVEIRA ALMEIDA'],
  ['Jones', 'JOHNSON'],
  ['da Costa', 'DA SILVA'],
  ['van Dijk', 'VAN DER BERG'],
  ['Le', 'DO'],
  ['Dr Keller', 'DR WEBER'],
  ['Al Rashid', 'AL HASHIMI'],
]

for (const [expected, printed] of different)
  test(`${expected} is not ${printed}`, t => {
    t.true((compareSurnames(expected, printed) ?? 1) < nameThreshold)
    t.true((compareSurnames(printed, expected) ?? 1) < nameThreshold)
  })

test('a person whose expected names are elsewhere on the document is not rejected', t => {
  const printed = { last_name: 'NGUYEN', first_name: 'VAN ANH' }
  t.deepEqual(judge(printed, { last_name: 'Anh', first_name: 'Nguyễn Văn' }), ['PASSED', 'PASSED'])
  t.deepEqual(judge(printed, { last_name: 'Nguyễn Văn Anh' }), ['NOT_EXECUTED', 'PASSED'])
  // A surname that is another person's given name is for a person to look at.
  const thomas = { last_name: 'MUELLER', first_name: 'THOMAS PETER' }
  t.deepEqual(judge(thomas, { last_name: 'Thomas' }), ['NOT_EXECUTED', 'UNDETERMINED'])
  t.deepEqual(judge(thomas, { last_name: 'Thomas', first_name: 'Peter' }), ['PASSED', 'UNDETERMINED'])
  t.deepEqual(judge(thomas, { last_name: 'Weber', first_name: 'Peter' }), ['PASSED', 'REJECTED'])
  t.deepEqual(judge(thomas, { last_name: 'Thomas', first_name: 'Mueller' }), ['PASSED', 'PASSED'])
})

import { composeCheckDigit, composeMrz, type DocumentFields } from '@attestor/rules/synthetic'
import { checkZone, computeCheckDigit, toMrzReading } from '@attestor/rules/zone'
import test from 'ava'
import fc from 'fast-check'
import { parse } from 'mrz'
import sharp from 'sharp'
import { rounds } from '../../../../test/tier.ts'
import { renderDocument } from '../../synthetic/document.ts'
import { photograph, photographFace } from '../../synthetic/photo.ts'
import { inventedFields, plainPortrait } from './invented.ts'

/** The holder of ICAO 9303's specimens. */
const specimen: DocumentFields = {
  document_code: 'P',
  issuing_state: 'UTO',
  nationality: 'UTO',
  document_number: 'L898902C3',
  last_name: 'Eriksson',
  first_name: 'Anna Maria',
  date_of_birth: '1974-08-12',
  expiry_date: '2012-04-15',
  sex: 'F',
  personal_number: 'ZE184226B',
}

test('the composed zones are those that ICAO 9303 parts 4, 5 and 6 print for their specimens', t => {
  t.deepEqual(composeMrz('TD3', specimen), [
    'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
    'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
  ])
  const card = { ...specimen, document_code: 'I', document_number: 'D23145890', personal_number: null }
  t.deepEqual(composeMrz('TD1', card), [
    'I<UTOD231458907<<<<<<<<<<<<<<<',
    '7408122F1204159UTO<<<<<<<<<<<6',
    'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
  ])
  t.deepEqual(composeMrz('TD2', card), ['I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F1204159<<<<<<<6'])
})

test("the check digits are those of ICAO 9303 part 3's worked examples", t => {
  for (const digit of [composeCheckDigit, (text: string) => String(computeCheckDigit(text))]) {
    t.is(digit('520727'), '3')
    t.is(digit('AB2134<<<'), '5')
    t.is(digit('HA672242<658022549601086<<<<<<<<<<<<<<0'), '8')
  }
  t.is(computeCheckDigit('ab?'), null)
})

test('a card number of more than nine characters runs on into the optional data and is checked there', t => {
  const lines = composeMrz('TD1', { ...specimen, document_number: 'D23145890734', personal_number: null })
  // ICAO 9303 part 5, 4.2.2: the check digit of D23145890734 is 9.
  t.is(lines[0], 'P<UTOD23145890<7349<<<<<<<<<<<')
  const checks = checkZone('TD1', lines)
  t.true(checks.every(check => check.passed))
  const reading = toMrzReading({ format: 'TD1', lines, corrected: 0, checks })
  t.is(reading.document_number, 'D23145890734')
  t.is(reading.personal_number, null)
})

test('names lose marks and apostrophes, and hyphens become fillers', t => {
  const [first] = composeMrz('TD3', { ...specimen, last_name: "O'Connor-Müller", first_name: 'Zoë Łucja' })
  t.is(first, 'P<UTOOCONNOR<MUELLER<<ZOE<LUCJA<<<<<<<<<<<<<'.slice(0, 44))
  const [long] = composeMrz('TD2', { ...specimen, last_name: 'A'.repeat(60), first_name: 'Bo' })
  t.is(long, `P<UTO${'A'.repeat(28)}<<B`)
})

const formats = fc.constantFrom('TD1', 'TD2', 'TD3')

test('every composed zone passes its own check digits, and those of an independent parser', t => {
  fc.assert(
    fc.property(formats, fc.nat(), (format, seed) => {
      const fields = inventedFields(format, seed)
      const lines = composeMrz(format, fields)
      const checks = checkZone(format, lines)
      t.true(
        checks.every(check => check.passed),
        lines.join('\n'),
      )
      const reading = toMrzReading({ format, lines, corrected: 0, checks })
      t.is(reading.document_number, fields.document_number)
      t.is(reading.date_of_birth, fields.date_of_birth.slice(2).replaceAll('-', ''))
      t.is(reading.sex, fields.sex)
      const digits = parse(lines).details.filter(detail => detail.field?.endsWith('CheckDigit'))
      t.deepEqual(
        digits.filter(detail => !detail.valid),
        [],
        lines.join('\n'),
      )
    }),
    { numRuns: rounds(60, 1000) },
  )
})

test('a single digit changed in a zone is always noticed', t => {
  fc.assert(
    fc.property(formats, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 9 }), (format, seed, place, step) => {
      const lines = composeMrz(format, inventedFields(format, seed))
      const row = format === 'TD1' ? 1 : format === 'TD2' ? 1 : 1
      const line = lines[row] ?? ''
      const digits = [...line].flatMap((character, at) => (/\d/.test(character) ? [at] : []))
      const at = digits[place % digits.length] ?? 0
      const changed = String((Number(line[at]) + step) % 10)
      lines[row] = line.slice(0, at) + changed + line.slice(at + 1)
      t.false(checkZone(format, lines).every(check => check.passed))
    }),
    { numRuns: rounds(60, 1000) },
  )
})

test('the same order and seed give the same bytes, another seed others', async t => {
  const order = { format: 'TD3' as const, fields: specimen, portrait: plainPortrait, seed: 1 }
  const [one, again] = await Promise.all([renderDocument(order), renderDocument(order)])
  t.true(one.front.equals(again.front))
  t.is(one.back, null)
  const setting = { seed: 4, width: 600 }
  const photos = await Promise.all([setting, setting, { seed: 5, width: 600 }].map(s => photograph(one.front, s)))
  t.true(photos[0]?.equals(photos[1] ?? Buffer.of()))
  t.false(photos[0]?.equals(photos[2] ?? Buffer.of()))
  const size = await sharp(photos[0]).metadata()
  t.deepEqual([size.format, size.width, size.height], ['jpeg', 600, 450])
  t.is((await sharp(await photographFace(one.front, 3)).metadata()).width, 1250)
})

test('a card has its zone on the back alone', async t => {
  const { front, back } = await renderDocument({ format: 'TD1', fields: specimen, portrait: plainPortrait, seed: 1 })
  t.not(back, null)
  for (const side of [front, back ?? front]) {
    const { width, height } = await sharp(side).metadata()
    t.deepEqual([width, height], [856, 540])
  }
})

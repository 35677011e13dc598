import { type MrzFormat, type MrzReading, toCountry } from '@attestor/rules'
import { icaoCodes } from '@attestor/rules/readings'
import { composeCheckDigit } from '@attestor/rules/synthetic'
import { resolveBirthDate, resolveExpiryDate } from '@attestor/rules/testing'
import { checkZone, toMrzReading } from '@attestor/rules/zone'
import test from 'ava'
import { type Decoded, decodeZone } from '../zone/decode.ts'
import { distinguishZeros } from '../zone/zeros.ts'
import { sureChances, type Unsure } from './zone_chances.ts'

function decoded(format: MrzFormat, lines: readonly string[], unsure: Unsure = {}): Decoded {
  return decodeZone(format, sureChances(lines, unsure))
}

function readingFrom(format: MrzFormat, lines: readonly string[]): MrzReading {
  const { lines: read, corrected } = decoded(format, lines)
  return toMrzReading({ format, lines: read, corrected, checks: checkZone(format, read) })
}

test('the specimens of visas in ICAO 9303 part 7 are read with their fields and pass their digits', t => {
  const large = readingFrom('MRVA', [
    'V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
    'L8988901C4XXX4009078F96121096ZE184226B<<<<<<',
  ])
  t.true(large.valid)
  t.like(large, {
    document_code: 'V',
    issuing_state: 'UTO',
    nationality: 'XXX',
    document_number: 'L8988901C',
    personal_number: '6ZE184226B',
    last_name: 'ERIKSSON',
    first_name: 'ANNA MARIA',
    date_of_birth: '400907',
    expiry_date: '961210',
    sex: 'F',
    corrected_characters: 0,
  })
  const small = readingFrom('MRVB', ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'L8988901C4XXX4009078F9612109<<<<<<<<'])
  t.true(small.valid)
  t.is(small.personal_number, null)
})

test('the old French card has its own fields, and a last digit over both lines', t => {
  const lines = ['IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<', '8806923102858CORINNE<<<<<<<6512068F6']
  const card = readingFrom('FRENCH_ID', lines)
  t.true(card.valid, JSON.stringify(card.check_digits))
  t.like(card, {
    document_code: 'ID',
    issuing_state: 'FRA',
    nationality: null,
    document_number: '880692310285',
    last_name: 'BERTHIER',
    first_name: 'CORINNE',
    date_of_birth: '651206',
    expiry_date: null,
    sex: 'F',
  })
  const other = readingFrom('FRENCH_ID', [lines[0]?.replace('BERTHIER', 'BERTHIEP') ?? '', lines[1] ?? ''])
  t.deepEqual(
    other.check_digits.filter(check => !check.passed).map(check => check.name),
    ['composite'],
  )
})

test('the old French card may name no given names, and its office is digits after a department', t => {
  const lines = ['IDFRAIN<<<<<<<<<<<<<<<<<<<<<<<2A0001', '13102A0182300<<<<<<<<<<<<<<7509018M6']
  const { lines: read, guessed } = decoded('FRENCH_ID', lines, { '0 33': { O: 0.9, 0: 0.09 } })
  t.deepEqual([read, guessed], [lines, 0])
  t.is(toMrzReading({ format: 'FRENCH_ID', lines: read, corrected: 0, checks: [] }).first_name, null)
})

/** Reads a visa whose optional data hold a sign at `1 28` that may be a zero or an O, as may others. */
function roundSign(unsure: Unsure, names: string): string | undefined {
  const lines = [`V<FRA${names}`.padEnd(44, '<'), 'L8988911C4DEU4009078F9612109OE184226B'.padEnd(44, '<')]
  return decodeZone('MRVA', distinguishZeros('MRVA', sureChances(lines, unsure))).lines[1]?.[28]
}

test('zeros and O’s are distinguished by those of the same print whose places say what they are', t => {
  const wide = { O: 0.6, 0: 0.38 }
  const dates = { '1 14': wide, '1 15': wide, '1 17': wide, '1 26': wide }
  t.is(roundSign({ '1 28': wide }, 'ERIK'), 'O', 'the dates have sure zeros, and this is none of them')
  t.is(roundSign({ '1 28': wide, ...dates }, 'ERIK'), '0', 'all zeros look like that')
  t.is(roundSign({ '1 28': wide, ...dates, '0 5': { O: 0.7, 0: 0.29 } }, 'O'), 'O', 'so does an O: nothing is changed')
  t.is(
    roundSign({ '1 28': { O: 0.49, 0: 0.5 }, '0 5': { O: 0.6, 0: 0.39 } }, 'O'),
    'O',
    'more like the O than the zeros',
  )
  t.is(roundSign({ '1 28': wide, ...dates }, 'O'), '0', 'more like the zeros than the sure O')
})

/** Returns a TD3 zone's second line, with its digits. */
function secondLine(birth: string, sex = 'F', expiry = '330101'): string {
  const number = `L898902C3${composeCheckDigit('L898902C3')}`
  const born = birth + composeCheckDigit(birth)
  const until = expiry + composeCheckDigit(expiry)
  const rest = `<<<<<<<<<<<<<<${composeCheckDigit('')}`
  return `${number}UTO${born}${sex}${until}${rest}${composeCheckDigit(number + born + until + rest)}`
}

const firstLine = 'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<'

test('an unknown part of a birth date stays as printed and is no day; the sex may be a filler or an X', t => {
  for (const birth of ['74<<<<', '7408<<']) {
    const reading = readingFrom('TD3', [firstLine, secondLine(birth)])
    t.true(reading.valid)
    t.is(reading.date_of_birth, birth)
    t.is(resolveBirthDate(reading.date_of_birth, '2026-11-21'), null)
  }
  t.is(readingFrom('TD3', [firstLine, secondLine('<<<<<<')]).date_of_birth, '<<<<<<')
  t.is(readingFrom('TD3', [firstLine, secondLine('740812', '<')]).sex, 'X')
  t.is(readingFrom('TD3', [firstLine, secondLine('740812', 'X')]).sex, 'X')
})

test('two digits of a year are judged on the day of the evaluation', t => {
  t.is(resolveBirthDate('261121', '2026-11-21'), '2026-11-21', 'born today')
  t.is(resolveBirthDate('261122', '2026-11-21'), '1926-11-22', 'nobody is born tomorrow')
  t.is(resolveBirthDate('000229', '2026-11-21'), '2000-02-29')
  t.is(resolveBirthDate('010229', '2026-11-21'), null, 'no such day in 2001 nor in 1901')
  t.is(resolveExpiryDate('261121', '2026-11-21'), '2026-11-21')
  t.is(resolveExpiryDate('760101', '2026-11-21'), '2076-01-01')
  t.is(resolveExpiryDate('770101', '2026-11-21'), '1977-01-01')
})

test('a name too long for its field is read up to the end; a number of many characters is read on in the optional data', t => {
  const names = 'P<UTOPAPANDROPOULOUS<<JONATHON<WARREN<TREVOR'
  t.like(readingFrom('TD3', [names, secondLine('740812')]), {
    last_name: 'PAPANDROPOULOUS',
    first_name: 'JONATHON WARREN TREVOR',
  })
  const first = 'I<UTOD23145890<7349<<<<<<<<<<<'
  const second = '3407127M9507122UTO<<<<<<<<<<<'
  const covered = first.slice(5) + second.slice(0, 7) + second.slice(8, 15) + second.slice(18)
  const card = readingFrom('TD1', [first, second + composeCheckDigit(covered), 'STEVENSON<<PETER<JOHN<<<<<<<<<'])
  t.true(card.valid)
  t.is(card.document_number, 'D23145890734')
  t.is(card.personal_number, null)
})

test('a stray letter among fillers is cleared and reported; a sure one is kept', t => {
  const lines = [firstLine, secondLine('740812')]
  const weak = decoded('TD3', lines, { '0 35': { K: 0.6, '<': 0.35 } })
  t.is(weak.lines[0], firstLine)
  t.is(weak.corrected, 1)
  t.true(weak.doubt > 0.3, 'and too doubtful to be used')
  const title = 'P<UTOMUSTERMANN<<ERIKA<<DR<<<<<<<<<<<<<<<<<<'
  t.like(readingFrom('TD3', [title, lines[1] ?? '']), { last_name: 'MUSTERMANN', first_name: 'ERIKA DR' })
})

test('an unsure character where no check digit would notice makes the zone doubtful, and says in which field', t => {
  const lines = [firstLine, secondLine('740812')]
  t.true(decoded('TD3', lines).doubt < 0.2)
  const name = decoded('TD3', lines, { '0 8': { K: 0.6, X: 0.39 } })
  t.true(name.doubt > 0.3)
  t.true((name.doubts.names ?? 0) > 0.3)
  const number = decoded('TD3', lines, { '1 3': { 8: 0.6, B: 0.39 } })
  t.true(number.doubt < 0.3, 'the check digit vouches for it')
})

test('a state that ICAO does not list is read as the listed one that it may be; a sure one is kept', t => {
  const lines = [firstLine, secondLine('740812')]
  const misread = decoded('TD3', lines, { '1 12': { D: 0.75, O: 0.24 } })
  t.is(misread.lines[1]?.slice(10, 13), 'UTO')
  t.is(misread.corrected, 1)
  t.true((misread.doubts.nationality ?? 1) < 0.2)
  const germany = decoded('TD3', ['P<D<<ERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', lines[1] ?? ''])
  t.is(germany.lines[0]?.slice(2, 5), 'D<<')
  const unlisted = decoded('TD3', ['P<QZXERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', lines[1] ?? ''])
  t.is(unlisted.lines[0]?.slice(2, 5), 'QZX')
  t.is(toCountry('QZX'), null)
  t.true(icaoCodes.every(code => /^[A-Z][A-Z<]{2}$/.test(code)))
})

test('a sex that is none of ICAO’s letters is null, and makes no zone unreadable', t => {
  const lines = ['I<UTOD231458907<<<<<<<<<<<<<<<', '7408122F1204159UTO<<<<<<<<<<<6', 'ERIKSSON<<ANNA<MARIA<<<<<<<<<<']
  t.is(readingFrom('TD1', lines).sex, 'F')
  const other = lines.map(line => line.replace('2F1', '2T1'))
  t.is(readingFrom('TD1', other).sex, null)
  t.true(decoded('TD1', other).doubt < 0.3)
  // Half a T is a misread letter.
  t.is(
    toMrzReading({
      format: 'TD1',
      corrected: 0,
      checks: [],
      lines: decodeZone('TD1', sureChances(lines, { '1 7': { T: 0.5, F: 0.4 } })).lines,
    }).sex,
    'F',
  )
})

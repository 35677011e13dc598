import type { DocumentFindings, MrzReading, VisualZone } from '@attestor/rules'
import { matchGivenNames, matchName } from '@attestor/rules/readings'
import { judgeDocument, matchNumber } from '@attestor/rules/testing'
import test from 'ava'
import sharp from 'sharp'
import { inLongTier } from '../../../test/tier.ts'
import { document, mrz, today } from '../../rules/test/findings_samples.ts'
import { analyse } from '../analyse.ts'
import { parseAamva } from '../barcode/aamva.ts'
import { takingOf } from '../bench/truth/conditions.ts'
import { printLicence } from '../bench/truth/licence.ts'
import { photographSide } from '../bench/truth/photo.ts'
import { openMemory } from '../capture_memory.ts'
import { readSides, type SidesReading } from '../document/read_sides.ts'
import type { RunNetwork } from '../face/face_models.ts'
import { loadModels } from '../models.ts'
import type { EncodedImage } from '../port.ts'
import { loadPrintReader } from '../print/load.ts'
import { viewPicture } from '../print/page.ts'
import { readPrint } from '../print/printed_side.ts'
import type { TextReader } from '../print/text_reader.ts'
import type { DocumentOrder } from '../synthetic/document.ts'
import { composeAamva } from '../synthetic/licence.ts'
import { person, personSeeds } from '../synthetic/portrait.ts'
import type { AnalysisTools } from '../tools.ts'
import { warmUp } from '../warm_up.ts'
import { photograph, renderDocument, renderPortrait } from './drawn.ts'
import { placeLine, placeWords } from './drawn_lines.ts'
import { inventedFields, inventedLicence, plainPortrait } from './synthetic/invented.ts'

/** The sample's holder (Erika Maria Mueller, 1964-08-12) as a German passport prints her. */
const printed = [
  'REISEPASS',
  'Name / Surname',
  'MÜLLER',
  'Vornamen',
  'ERIKA MARIA',
  'C01X00T47',
  '12.08.1964',
  '31.10.2030',
]

function textOf(lines: readonly string[], how: Partial<VisualZone> = {}): VisualZone {
  return {
    lines: lines.map(line => line.split(' ')),
    legibility: { score: 12, threshold: 8 },
    ...how,
  }
}

function judged(visual: VisualZone | null, changed: Partial<DocumentFindings> = {}, expected = {}) {
  const { section, issues } = judgeDocument({ ...document, visual, ...changed }, expected, today)
  const check = (name: string) => section.data.checks.find(one => one.name === name)
  return {
    status: section.status,
    issues,
    codes: issues.map(issue => issue.code),
    check,
    statusOf: (name: string) => check(name)?.status,
  }
}

function swapped(from: string, to: string): string[] {
  return printed.map(line => line.replace(from, to))
}

test('a name is found as documents print it: with its marks, in capitals, on two lines, with a letter misread', t => {
  const found: [name: string, lines: string[]][] = [
    ['MUELLER', ['Name', 'MÜLLER']],
    ['JOERGENSEN', ['JØRGENSEN']],
    ['GARCIA LOPEZ', ['Apellidos', 'GARCÍA', 'Nombre', 'ANA', 'LÓPEZ']],
    ['OBYRNE', [")'BYRNE"]],
    ['VAN DER BERG', ['van der Berg']],
    ['WOJCIK', ['W0JClK']],
    ['A'.repeat(39), ['A'.repeat(45)]],
  ]
  for (const [name, lines] of found) t.true((matchName(name, textOf(lines)) ?? 0) >= 0.85, name)
  for (const other of ['SCHMIDT', 'MUELLERSDORF']) t.true((matchName(other, textOf(printed)) ?? 1) < 0.85, other)
  t.is(matchName('VU', textOf(['VU TRAN', 'DE VU'])), null, 'two letters are in any text')
  t.is(matchName('VU', textOf(['Nom', 'VU'])), 1, 'and count on a line of their own')
  t.true((matchGivenNames('ERIKA MARIA', textOf(['Erika'])) ?? 0) >= 0.85, 'a document may leave the second out')
  t.true((matchGivenNames('ERIKA', textOf(['Anna', 'Maria'])) ?? 1) < 0.85)
  t.is(matchNumber('UZ1VRR3IL', textOf(['UZIVRR31L'])), 1, 'an I is a 1 to a reader')
  t.is(matchNumber('123456789', textOf(['123 456', '789'])), 1)
  t.true(matchNumber('C01X00T47', textOf(['X82ZZ9301'])) < 0.85)
})

test('the text that says what the zone says passes, each check with its score', t => {
  const { status, codes, check } = judged(textOf(printed))
  t.is(status, 'PASSED')
  t.deepEqual(codes, [])
  t.like(check('visual_surname'), { status: 'PASSED', score: 1, threshold: 0.85 })
  t.like(check('visual_given_names'), { status: 'PASSED', score: 1, threshold: 0.85 })
  t.like(check('visual_date_of_birth'), { status: 'PASSED', score: 1, threshold: 1 })
})

test('another surname, given name or birth date is rejected with its score and threshold', t => {
  const surname = judged(textOf(swapped('MÜLLER', 'LINDQVIST')))
  t.deepEqual(surname.codes, ['SURNAME_MISMATCH'])
  t.is(surname.status, 'REJECTED')
  t.is(surname.issues[0]?.details?.threshold, 0.85)
  t.true(Number(surname.issues[0]?.details?.score) < 0.75)
  t.deepEqual(judged(textOf(swapped('ERIKA MARIA', 'JUDITH'))).codes, ['NAME_MISMATCH'])
  const few = textOf(swapped('ERIKA MARIA', 'JUDITH'), { legibility: { score: 6, threshold: 8 } })
  t.is(judged(few).statusOf('visual_given_names'), 'NOT_EXECUTED', 'a reflection may lie on them')
  const birth = judged(textOf(swapped('12.08.1964', '03.02.1991')))
  t.deepEqual(birth.codes, ['DATE_OF_BIRTH_MISMATCH'])
  t.is(birth.issues[0]?.details?.threshold, 1)
})

test('one digit of a birth date that was surely read leaves the section open, an unsure one or a lone date does not', t => {
  const forged = swapped('12.08.1964', '12.08.1961')
  const sure = (lines: readonly string[], how = {}): VisualZone => ({
    ...textOf(lines, how),
    sure_lines: lines.map(line => line.split(' ')),
  })
  const { status, issues, check } = judged(sure(forged))
  t.is(status, 'UNDETERMINED')
  t.deepEqual(issues[0]?.details, { fields: ['date_of_birth'] })
  t.like(check('visual_date_of_birth'), { status: 'UNDETERMINED', score: 5 / 6, threshold: 1 })
  t.is(judged(sure(printed)).status, 'PASSED')
  const unsure = forged.map(line => line.replace('12.08.1961', '?').split(' '))
  const expiryless = forged.filter(line => !line.includes('2030'))
  const few = { legibility: { score: 3, threshold: 8 } }
  for (const visual of [
    textOf(forged),
    { ...textOf(forged), sure_lines: unsure },
    sure(expiryless),
    sure(['12.08.1961'], few),
  ]) {
    const open = judged(visual)
    t.is(open.statusOf('visual_date_of_birth'), 'NOT_EXECUTED')
    t.false(open.codes.includes('DOCUMENT_NOT_READABLE'))
  }
})

test('too few words, a short name or a misread one is no mismatch: it is reported and decides nothing', t => {
  const few = textOf(['NAME'], { legibility: { score: 3, threshold: 8 } })
  for (const visual of [few, null, textOf(swapped('MÜLLER', 'MULFEA'))]) {
    const { status, codes, statusOf } = judged(visual, { visual_surname: null })
    t.is(statusOf('visual_surname'), 'NOT_EXECUTED')
    t.deepEqual(codes, ['SURNAME_NOT_EVALUABLE'])
    t.is(status, 'PASSED')
  }
  const short = judged(textOf(printed), { mrz: { ...mrz, last_name: 'VU' } })
  t.deepEqual(short.codes, ['SURNAME_NOT_EVALUABLE'])
  const unread = judged(textOf(printed.filter(line => !line.includes('1964'))))
  t.is(unread.statusOf('visual_date_of_birth'), 'NOT_EXECUTED')
  t.is(unread.status, 'PASSED')
})

test('few words suffice where they are what the zone says too', t => {
  const few = textOf(['LINDQVIST', 'C01X00T47', '31.10.2030'], { legibility: { score: 3, threshold: 8 } })
  t.deepEqual(judged(few).codes, ['SURNAME_MISMATCH'])
})

test('an engine that gives no text may give its own comparison of the surname', t => {
  t.deepEqual(judged(null, { visual_surname: { score: 0.3, threshold: 0.85 } }).codes, ['SURNAME_MISMATCH'])
  t.is(judged(null).statusOf('visual_surname'), 'PASSED')
})

const card: Partial<DocumentFindings> = { mrz: { ...mrz, format: 'TD1', document_code: 'ID' } }
const otherFront = ['LINDQVIST', 'JUDITH', 'X82ZZ9301', '03.02.1991', '01.01.2029']

test('the front of a card is held against the zone on its back: number, or names and birth', t => {
  t.is(judged(textOf(printed), card).statusOf('sides'), 'PASSED')
  const unnumbered = textOf(swapped('C01X00T47', ''))
  t.is(judged(unnumbered, card).statusOf('sides'), 'PASSED', 'the number may be on the back alone')
  t.is(judged(textOf(['C01X00T47']), card).statusOf('sides'), 'PASSED')
  const foreign = judged(textOf(otherFront), card)
  t.is(foreign.statusOf('sides'), 'REJECTED')
  t.true(foreign.codes.includes('DOCUMENT_SIDES_MISMATCH'))
  const passport = judged(textOf(otherFront), { portrait_apart: false })
  t.is(passport.statusOf('sides'), 'NOT_EXECUTED', 'portrait and zone are on one page')
})

test('a portrait that nothing ties to the zone of another photo leaves the section open', t => {
  const blurred = textOf(otherFront, { legibility: { score: 2, threshold: 8 } })
  const open: readonly (readonly [VisualZone | null, Partial<DocumentFindings>])[] = [
    [blurred, card],
    [null, card],
    [textOf([], { legibility: { score: 0, threshold: 8 } }), card],
    [textOf(otherFront), { mrz: { ...mrz, format: 'TD1', document_code: 'ID', last_name: 'LI' } }],
    [blurred, { portrait_apart: true }],
  ]
  for (const [visual, evidence] of open) {
    const { status, issues, statusOf } = judged(visual, evidence)
    t.deepEqual([statusOf('sides'), status], ['UNDETERMINED', 'UNDETERMINED'])
    t.deepEqual(issues.find(({ code }) => code === 'DOCUMENT_NOT_READABLE')?.details, { fields: ['sides'] })
  }
  t.is(judged(blurred, { ...card, sides_match: true }).status, 'PASSED', 'an engine that compared them knows')
  t.is(judged(blurred, { ...card, portrait_found: false }).statusOf('sides'), 'NOT_EXECUTED')
})

test('the text is held against expected data too; without a zone a difference rejects nobody', t => {
  const expected = { first_name: 'Erika', last_name: 'Müller', date_of_birth: '1964-08-12' }
  const names = ['last_name', 'first_name', 'date_of_birth'].map(name => `visual_expected_${name}`)
  const same = judged(textOf(printed), {}, expected)
  for (const name of names) t.is(same.statusOf(name), 'PASSED', name)
  t.is(same.status, 'PASSED')
  const other = { first_name: 'Judith', last_name: 'Lindqvist', date_of_birth: '1991-02-03' }
  const rejected = judged(textOf(printed), {}, other)
  t.is(rejected.statusOf('visual_expected_last_name'), 'REJECTED')
  t.true(rejected.codes.includes('SURNAME_MISMATCH'))
  const zoneless: Partial<DocumentFindings> = { reading: 'NOT_READABLE', mrz: null }
  const licence = judged(textOf(printed), zoneless, expected)
  for (const name of names) t.is(licence.statusOf(name), 'PASSED', name)
  t.is(licence.status, 'UNDETERMINED', 'nothing passes without a zone')
  const stranger = judged(textOf(printed), zoneless, other)
  t.is(stranger.statusOf('visual_expected_last_name'), 'UNDETERMINED')
  t.deepEqual(stranger.codes, ['DOCUMENT_NOT_READABLE'])
})

async function bench(): Promise<AnalysisTools> {
  return {
    models: await loadModels(),
    falseMatchRate: '0.001',
    readSides,
    print: await loadPrintReader(),
  }
}

let made: Promise<AnalysisTools> | null = null

async function seen(front: EncodedImage, back: EncodedImage | null = null): Promise<DocumentFindings> {
  made ??= bench()
  const { document: evidence } = await analyse(await made, {
    transaction_id: 'test',
    transaction_type: 'DOCUMENT_AND_BIOMETRIC',
    document_front: front,
    document_back: back,
    selfie: null,
    challenge: null,
    enrolled_face: null,
  })
  if (evidence === null) throw new Error('a document was sent and none was looked at')
  return evidence
}

function statuses(evidence: DocumentFindings, zone: Partial<MrzReading> = {}) {
  const changed = { ...evidence, mrz: evidence.mrz && { ...evidence.mrz, ...zone } }
  const { checks } = judgeDocument(changed, {}, today).section.data
  return Object.fromEntries(checks.map(check => [check.name, check.status]))
}

const portrait = renderPortrait(
  person(personSeeds[0] ?? 1),
  { distance: 8, headWidth: 0.6 },
  { width: 350, height: 450 },
)

async function order(format: DocumentOrder['format'], seed: number): Promise<DocumentOrder> {
  return {
    format,
    seed,
    portrait: await portrait,
    fields: { ...inventedFields(format, seed), last_name: 'Jørgensen', first_name: 'Zoë Philippa' },
  }
}

test('a page is read until it has what the zone says, and once more, finer, where the surname is not on it', async t => {
  const looksFor = async (evidence: Partial<DocumentFindings>): Promise<readonly number[]> => {
    const looks: number[] = []
    const read: TextReader = async (_, { side, isEnough }) => {
      looks.push(side)
      const words = ['MÜLLER', 'ERIKA', '12.08.1964', 'REISEPASS'].flatMap(placeWords)
      const all = words.map((word, n) => placeLine([word], { x: 50, y: 30 * n, width: 100, height: 20 }))
      const lines = isEnough?.(all.slice(0, 3)) ? all.slice(0, 3) : all
      return { lines, turns: 0, linePixels: 30, isAll: lines.length === 4, isWhole: lines.length === 4 }
    }
    const scan: SidesReading = {
      quarterTurns: null,
      portraitRegion: null,
      pageRegion: null,
      isBackOnly: false,
      isSwapped: false,
      findings: { ...document, ...evidence },
      locatePage: async () => viewPicture({ data: new Uint8Array(1200), width: 20, height: 20 }),
    }
    const side = { capture: 'document_front', scan, portrait: null, image: plainPortrait, other: null } as const
    const found = await readPrint({ read, layouts: [] }, side, openMemory())
    return [...looks, found?.text.lines.length ?? 0]
  }
  t.deepEqual(await looksFor({}), [416, 3])
  t.deepEqual(await looksFor({ mrz: { ...mrz, last_name: 'LINDQVIST' } }), [416, 666, 8])
  const barcode = parseAamva(composeAamva(inventedLicence(3), { version: 8 }))
  t.deepEqual(await looksFor({ mrz: null, barcode }), [416, 666, 8])
  t.deepEqual(await looksFor({ mrz: null, barcode: barcode && { ...barcode, last_name: 'MÜLLER' } }), [416, 4])
})

test('print of too few pixels confirms, and contradicts nobody', t => {
  const at = (score: number) => ({ resolution: { score, threshold: 7 } })
  const other = swapped('MÜLLER', 'LINDQVIST')
  t.deepEqual(judged(textOf(other, at(9))).codes, ['SURNAME_MISMATCH'])
  t.deepEqual(judged(textOf(other, at(5))).codes, ['SURNAME_NOT_EVALUABLE'])
  t.is(judged(textOf(printed, at(5))).statusOf('visual_surname'), 'PASSED')
})

test.serial('a child is warm when every network has run and a letter was read', async t => {
  made ??= bench()
  const { models, print, ...others } = await made
  const ran: string[] = []
  const watched =
    (name: string, run: RunNetwork): RunNetwork =>
    pictures => {
      ran.push(name)
      return run(pictures)
    }
  const read: TextReader = async (page, how) => {
    if (print === null) throw new Error('no print is read')
    const text = await print.read(page, how)
    ran.push(...text.lines.flatMap(({ words }) => words.flatMap(word => [...new Set(word.text.toUpperCase())])))
    return text
  }
  const { detector, mesh, iris, embedding, passiveLiveness } = models
  await warmUp({
    ...others,
    models: {
      detector: watched('detector', detector),
      mesh: watched('mesh', mesh),
      iris: watched('iris', iris),
      embedding: { ...embedding, run: watched('embedding', embedding.run) },
      passiveLiveness,
    },
    print: { read, layouts: [] },
  })
  for (const part of ['detector', 'mesh', 'iris', 'embedding', 'H']) t.true(ran.includes(part), part)
})

inLongTier(test.serial)('a photographed passport, also upside down, says on its page what its zone says', async t => {
  const { front } = await renderDocument(await order('TD3', 401))
  for (const condition of ['typical', 'upside_down'] as const) {
    const evidence = await seen(await photograph(front, { seed: 402, condition, width: 1600 }))
    t.true(evidence.portrait_found)
    t.false(evidence.portrait_apart)
    const same = statuses(evidence)
    for (const name of ['visual_surname', 'visual_given_names', 'visual_date_of_birth'])
      t.is(same[name], 'PASSED', name)
    t.is(statuses(evidence, { last_name: 'LINDQVIST' }).visual_surname, 'REJECTED')
  }
})

inLongTier(test.serial)('the front and the back of one card belong together, and those of two do not', async t => {
  const own = { ...(await order('TD1', 411)) }
  const other = { ...own, seed: 412, fields: { ...inventedFields('TD1', 412), last_name: 'Lindqvist' } }
  const [card, stranger] = await Promise.all([renderDocument(own), renderDocument(other)])
  if (card.back === null || stranger.back === null) throw new Error('a card has two sides')
  const front = await photograph(card.front, { seed: 413, width: 1600 })
  const backs = await Promise.all([card.back, stranger.back].map(back => photograph(back, { seed: 414, width: 1600 })))
  const same = await seen(front, backs[0] ?? null)
  const foreign = await seen(front, backs[1] ?? null)
  t.true(same.portrait_apart)
  t.like(statuses(same), { sides: 'PASSED', visual_surname: 'PASSED', visual_date_of_birth: 'PASSED' })
  t.like(statuses(foreign), { sides: 'REJECTED', visual_surname: 'REJECTED' })
})

inLongTier(test.serial)(
  'a card with a grey back is no copy where its front has colour, and a copy of both is one',
  async t => {
    const { front, back } = await renderDocument(await order('TD1', 431))
    const grey = (side: Buffer | null) =>
      sharp(side ?? front)
        .flatten()
        .greyscale()
        .toColourspace('srgb')
        .png()
        .toBuffer()
    const photos = [front, await grey(front), await grey(back)].map((side, n) =>
      photograph(side, { seed: 432 + n, width: 1600 }),
    )
    const [coloured, copied, greyBack] = await Promise.all(photos)
    if (coloured === undefined || copied === undefined || greyBack === undefined) throw new Error('three were taken')
    t.is(statuses(await seen(coloured, greyBack)).colour, 'PASSED')
    t.is(statuses(await seen(greyBack, coloured)).colour, 'PASSED', 'the sides may come in either order')
    t.is(statuses(await seen(copied, greyBack)).colour, 'UNDETERMINED')
    t.is(statuses(await seen(greyBack)).colour, 'UNDETERMINED', 'nothing is known of its front')
  },
)

inLongTier(test.serial)('a card’s front that is photographed tilted is held against its back', async t => {
  const seed = 9_300_014
  const { front, back } = await printLicence(seed, await portrait)
  if (back === null) throw new Error('a licence has two sides')
  const one = await photographSide(front, takingOf('tilted', seed), seed)
  const other = await photographSide(back, takingOf('typical', seed + 1), seed + 1)
  t.like(statuses(await seen(one.photo, other.photo)), { sides: 'PASSED', visual_date_of_birth: 'PASSED' })
})

inLongTier(test.serial)('a back that was found does not pass with a front of one’s own making', async t => {
  const face = await sharp({ create: { width: 1600, height: 1200, channels: 3, background: '#d8d4cc' } })
    .composite([{ input: await portrait, left: 620, top: 300 }])
    .jpeg()
    .toBuffer()
  for (const format of ['TD1', 'TD3'] as const) {
    const found = await renderDocument(await order(format, 411))
    const back = await photograph(found.back ?? found.front, { seed: 414, width: 1600 })
    const evidence = await seen(face, back)
    t.true(evidence.portrait_found)
    t.is(evidence.mrz?.format, format)
    t.is(statuses(evidence).sides, 'UNDETERMINED')
    const unread = { ...evidence, visual: null }
    t.is(statuses(unread).sides, 'UNDETERMINED', 'whether or not the printed text is read')
  }
})

inLongTier(test.serial)('a face beside the page is not its portrait, and a page without one has none', async t => {
  const { front } = await renderDocument({ ...(await order('TD3', 421)), portrait: plainPortrait })
  const photo = await photograph(front, { seed: 422, condition: 'clean', width: 1600 })
  const { height = 0 } = await sharp(photo).metadata()
  const beside = await sharp(photo)
    .extend({ right: 700, background: '#776' })
    .composite([
      {
        input: await sharp(await portrait)
          .resize(560)
          .toBuffer(),
        left: 1670,
        top: Math.round(height / 4),
      },
    ])
    .jpeg()
    .toBuffer()
  for (const picture of [photo, beside]) {
    const evidence = await seen(picture)
    t.is(evidence.reading, 'READ')
    t.false(evidence.portrait_found)
  }
})

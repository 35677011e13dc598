/**
 * Documents that are not accepted are named at their upload by their kind: drawn, photographed and read with the real
 * models.
 */

import { loadModels, loadPrintReader } from '@attestor/vision/readers'
import { person, personSeeds, textPath } from '@attestor/vision/synthetic'
import { type AnalysisTools, analyseCapture, readSides } from '@attestor/vision/testing'
import test from 'ava'
import sharp from 'sharp'
import { inLongTier } from '../../../test/tier.ts'
import { photograph, photographFace, renderDocument, renderLicence, renderPortrait } from '../../vision/test/drawn.ts'
import { inventedFields, inventedLicence } from '../../vision/test/synthetic/invented.ts'
import { judgeDocumentCapture } from '../capture_feedback.ts'
import type { VisualZone } from '../findings.ts'
import { findMissingSide, findUnacceptedKind } from '../unaccepted_kinds.ts'
import { today } from './findings_samples.ts'

let opening: Promise<AnalysisTools> | null = null

async function open(): Promise<AnalysisTools> {
  return { models: await loadModels(), falseMatchRate: '0.001', readSides, print: await loadPrintReader() }
}

function getTools(): Promise<AnalysisTools> {
  opening ??= open()
  return opening
}

const drawn = renderPortrait(person(personSeeds[0] ?? 1), { distance: 8, headWidth: 0.6 }, { width: 350, height: 450 })

/** Rows of print on paper, in millimetres. */
function print(size: { width: number; height: number }, rows: readonly string[], picture = ''): Promise<Buffer> {
  const glyphs = rows.map((row, n) => textPath(row, { x: 6, y: 9 + n * 7, size: n === 0 ? 4 : 3, face: 'sans_bold' }))
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width * 10}" height="${size.height * 10}" ` +
    `viewBox="0 0 ${size.width} ${size.height}"><rect width="100%" height="100%" fill="#cfe0ea"/>` +
    `<g fill="#14233a">${glyphs.join('')}</g>${picture}</svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}

/** The answer to an upload of a photo of one side, of which the back is still to come or is not asked for. */
async function upload(side: Buffer, seed: number, awaits_back = false) {
  return uploadPhoto(await photograph(side, { seed, width: 1600 }), awaits_back)
}

/** A person who holds the phone before their face. */
async function takeSelfie(seed: number): Promise<Buffer> {
  const pose = { distance: 8, headWidth: 0.5 }
  return photographFace(await renderPortrait(person(seed), pose, { width: 900, height: 1200 }), seed)
}

async function uploadPhoto(photo: Buffer, awaits_back: boolean) {
  const { findings } = await analyseCapture(await getTools(), {
    transaction_id: 'test',
    account_id: 'test',
    transaction_type: 'DOCUMENT_AND_BIOMETRIC',
    capture: 'document_front',
    awaits_back,
    document_front: photo,
    document_back: null,
    selfie: null,
    challenge: null,
    enrolled_face: null,
    kept: {},
  })
  if (findings.document === null) throw new Error('a document was sent and none was looked at')
  return judgeDocumentCapture(findings.document, {
    awaitsBack: awaits_back,
    declared: awaits_back ? 'ID_CARD' : 'PASSPORT',
    today,
  })
}

const card = { width: 85.6, height: 54 }
const cheque = { width: 175, height: 80 }

inLongTier(test.serial)('a health card is named, whether its back is awaited or not', async t => {
  const named = { warnings: ['UNSUPPORTED_DOCUMENT'], reasons: ['HEALTH_CARD'] }
  const rows = ['Tarjeta Sanitaria Europea', 'MORGENSTERN', 'ALEXIS ROBIN', '04/03/1991', '80724 01234 5']
  t.deepEqual(await upload(await print(card, rows), 501), named)
  const face = `<image x="60" y="14" width="20" height="26" href="data:image/png;base64,${(await drawn).toString('base64')}"/>`
  const pictured = await print(card, ['Gesundheitskarte', 'Alexis Morgenstern', 'A123456780'], face)
  t.deepEqual(await upload(pictured, 502, true), named)
})

inLongTier(test.serial)('a cheque is named', async t => {
  const rows = [
    'UTOPIA BANK',
    'Pay to the order of  Alexis Morgenstern',
    'one hundred and six',
    '04 March 2026',
    '00123',
  ]
  t.deepEqual(await upload(await print(cheque, rows), 503), { warnings: ['UNSUPPORTED_DOCUMENT'], reasons: ['CHEQUE'] })
})

inLongTier(test.serial)('the front of a United States licence asks for its back', async t => {
  const fields = inventedLicence(7)
  const { front } = await renderLicence({ fields, standard: { version: 8 }, portrait: await drawn, seed: 7 })
  t.deepEqual(await upload(front, 504), { warnings: ['DOCUMENT_SIDE_MISSING'], reasons: ['CARD'] }, 'as a passport')
  t.deepEqual(await upload(front, 504, true), { warnings: [], reasons: [] }, 'its back is asked for anyway')
})

inLongTier(test.serial)('a face is named, as a passport and as a card, and a card’s back as a passport', async t => {
  const face = { warnings: ['UNSUPPORTED_DOCUMENT'], reasons: ['FACE'] }
  for (const seed of personSeeds.slice(1, 4))
    for (const awaitsBack of [false, true])
      t.deepEqual(await uploadPhoto(await takeSelfie(seed), awaitsBack), face, `${seed}`)
  const { back } = await renderDocument({
    format: 'TD1',
    fields: inventedFields('TD1', 31),
    portrait: await drawn,
    seed: 31,
  })
  if (back === null) throw new Error('a card has a back')
  t.deepEqual(await upload(back, 506), { warnings: ['DOCUMENT_SIDE_MISSING'], reasons: ['CARD'] })
  t.deepEqual(
    await upload(back, 506, true),
    { warnings: ['DOCUMENT_PORTRAIT_MISSING'], reasons: [] },
    'as a card’s front',
  )
})

inLongTier(test.serial)('any other page that cannot be read is named nothing', async t => {
  const letter = await print(cheque, ['Dear Alexis', 'please find attached the papers that', 'you asked for in March'])
  t.deepEqual(await upload(letter, 505), {
    warnings: ['DOCUMENT_NOT_READABLE'],
    reasons: [],
  })
})

function textOf(...lines: readonly string[]): VisualZone {
  return { lines: lines.map(line => line.split(' ')), legibility: { score: 12, threshold: 8 } }
}

test('a face is a person where it is large, and no print is around it', t => {
  const nothing = textOf()
  t.is(findUnacceptedKind(nothing, 0.4), 'FACE')
  t.is(findUnacceptedKind(textOf('EXIT', 'li', '12'), 0.4), 'FACE', 'a word behind the person')
  t.is(findUnacceptedKind(nothing, 0.2), null, 'a portrait')
  t.is(findUnacceptedKind(nothing, null), null)
  t.is(findUnacceptedKind(textOf('ALEXIS ROBIN MORGENSTERN', 'UTOPIA 1991'), 0.4), null, 'a card that is cut off')
})

test('titles are found with their marks, with a letter misread, and over two lines', t => {
  t.is(findUnacceptedKind(textOf('CARTE D’ASSURANCE', 'MALADIE'), null), 'HEALTH_CARD')
  t.is(findUnacceptedKind(textOf('EUROPAISCHE KRANKENVERSICHERUNGSKARIE'), null), 'HEALTH_CARD')
  t.is(findUnacceptedKind(textOf('Payez contre ce cheque'), null), 'CHEQUE')
  t.is(findMissingSide(textOf('DRIVER’S LICENCE', 'PERMIS DE CONDUIRE')), 'BACK')
  t.is(findMissingSide(textOf('9. 10. 11. 12.', 'AM 19.01.13 18.01.28')), 'FRONT')
  for (const other of [
    'PASSPORT',
    'CARTE NATIONALE D’IDENTITÉ',
    'IDENTITY CARD',
    'DRIVING LICENCE',
    'CARTA DE CONDUÇÃO',
  ]) {
    t.is(findUnacceptedKind(textOf(other), null), null, other)
    t.is(findMissingSide(textOf(other)), null, other)
  }
})

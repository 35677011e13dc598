/** Documents that are not accepted are named for what they are at their upload: drawn, photographed and read with the real models. */

import { loadModels, loadPrintReader } from '@attestor/vision/readers'
import { person, personSeeds, photograph, renderLicence, renderPortrait, textPath } from '@attestor/vision/synthetic'
import { type AnalysisTools, analyseCapture, readSides } from '@attestor/vision/testing'
import test from 'ava'
import sharp from 'sharp'
import { inLongTier } from '../../../test/tier.ts'
import { inventedLicence } from '../../vision/test/synthetic/invented.ts'
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

/** The answer to an upload of one picture, of which the back is still to come or is not asked for. */
async function upload(side: Buffer, seed: number, awaits_back = false) {
  const photo = await photograph(side, { seed, width: 1600 })
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
  return judgeDocumentCapture(findings.document, { awaitsBack: awaits_back, today })
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
  t.deepEqual(await upload(front, 504), { warnings: ['DOCUMENT_SIDE_MISSING'], reasons: [] })
  t.deepEqual(await upload(front, 504, true), { warnings: [], reasons: [] }, 'its back is asked for anyway')
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

test('titles are found with their marks, with a letter misread, and over two lines', t => {
  t.is(findUnacceptedKind(textOf('CARTE D’ASSURANCE', 'MALADIE')), 'HEALTH_CARD')
  t.is(findUnacceptedKind(textOf('EUROPAISCHE KRANKENVERSICHERUNGSKARIE')), 'HEALTH_CARD')
  t.is(findUnacceptedKind(textOf('Payez contre ce cheque')), 'CHEQUE')
  t.is(findMissingSide(textOf('DRIVER’S LICENCE', 'PERMIS DE CONDUIRE')), 'BACK')
  t.is(findMissingSide(textOf('9. 10. 11. 12.', 'AM 19.01.13 18.01.28')), 'FRONT')
  for (const other of [
    'PASSPORT',
    'CARTE NATIONALE D’IDENTITÉ',
    'IDENTITY CARD',
    'DRIVING LICENCE',
    'CARTA DE CONDUÇÃO',
  ]) {
    t.is(findUnacceptedKind(textOf(other)), null, other)
    t.is(findMissingSide(textOf(other)), null, other)
  }
})

/**
 * Pictures of the wrong kind, by what the person chose and what is shown: drawn, photographed and read with the real
 * models. A cell without a word is a picture with which nothing is wrong, or one that looks like a right one.
 */
import { type CaptureFeedback, type DocumentType, judgeDocumentCapture, judgeSelfieCapture } from '@attestor/rules'
import test from 'ava'
import sharp from 'sharp'
import { today } from '../../rules/test/findings_samples.ts'
import { analyseCapture } from '../analyse_capture.ts'
import { readSides } from '../document/read_sides.ts'
import { loadModels } from '../models.ts'
import type { CaptureName, CaptureRequest, EncodedImage } from '../port.ts'
import { loadPrintReader } from '../print/load.ts'
import { person, personSeeds } from '../synthetic/portrait.ts'
import {
  photograph,
  photographFace,
  renderDocument,
  renderEuropeanLicence,
  renderLicence,
  renderPortrait,
} from './drawn.ts'
import { inventedEuropeanLicence, inventedFields, inventedLicence } from './synthetic/invented.ts'

const [seed = 1] = personSeeds
const tools = {
  models: await loadModels(),
  falseMatchRate: '0.001',
  readSides,
  print: await loadPrintReader(),
} as const

async function draw(): Promise<Record<string, Buffer>> {
  const portrait = await renderPortrait(person(seed), { distance: 8, headWidth: 0.6 }, { width: 350, height: 450 })
  const take = (side: Buffer, n: number): Promise<Buffer> => photograph(side, { seed: n, width: 1600 })
  const card = { ...inventedFields('TD1', 60), document_code: 'ID' }
  const [passport, cardOfThree, cardOfTwo, american, european] = await Promise.all([
    renderDocument({ format: 'TD3', fields: inventedFields('TD3', 30), portrait, seed: 30 }),
    renderDocument({ format: 'TD1', fields: card, portrait, seed: 60 }),
    renderDocument({ format: 'TD2', fields: inventedFields('TD2', 90), portrait, seed: 90 }),
    renderLicence({ fields: inventedLicence(7), standard: { version: 8 }, portrait, seed: 7 }),
    renderEuropeanLicence({ fields: inventedEuropeanLicence(40).fields, portrait, seed: 40 }),
  ])
  const plain = sharp({ create: { width: 856, height: 540, channels: 3, background: '#d8b59a' } })
  const head = await renderPortrait(person(seed), { distance: 8, headWidth: 0.5 }, { width: 900, height: 1200 })
  return {
    passport: await take(passport.front, 1),
    'front of a card': await take(cardOfThree.front, 2),
    'back of a card': await take(cardOfThree.back ?? Buffer.alloc(0), 3),
    'card with its zone in front': await take(cardOfTwo.front, 4),
    'front of an American licence': await take(american.front, 5),
    'back of an American licence': await take(american.back, 6),
    'front of a European licence': await take(european, 7),
    face: await photographFace(head, seed),
    nothing: await take(await plain.png().toBuffer(), 11),
  }
}

async function findIn(capture: CaptureName, images: Partial<CaptureRequest>, awaits_back = false) {
  const request = { transaction_id: 'test', account_id: 'test', transaction_type: 'DOCUMENT_AND_BIOMETRIC' } as const
  const none = { document_front: null, document_back: null, selfie: null, challenge: null, enrolled_face: null }
  const { findings } = await analyseCapture(tools, { ...request, ...none, capture, awaits_back, kept: {}, ...images })
  return findings
}

function say({ warnings, reasons }: CaptureFeedback): string {
  return [...warnings, ...reasons].join(' ')
}

async function showDocument(
  images: { readonly document_front: EncodedImage; readonly document_back?: EncodedImage },
  declared: DocumentType,
): Promise<string> {
  const awaitsBack = declared !== 'PASSPORT' && images.document_back === undefined
  const capture = images.document_back === undefined ? 'document_front' : 'document_back'
  const { document } = await findIn(capture, images, awaitsBack)
  return document === null ? 'no findings' : say(judgeDocumentCapture(document, { awaitsBack, declared, today }))
}

async function showSelfie(selfie: EncodedImage): Promise<string> {
  const { face } = await findIn('selfie', { selfie })
  return face === null ? 'no findings' : say(judgeSelfieCapture(face))
}

const unread = 'DOCUMENT_NOT_READABLE'
const noPortrait = 'DOCUMENT_PORTRAIT_MISSING'
const isCard = 'DOCUMENT_SIDE_MISSING CARD'
const isPassport = 'UNSUPPORTED_DOCUMENT PASSPORT'
const isFace = 'UNSUPPORTED_DOCUMENT FACE'
const isDocument = 'SELFIE_LOW_QUALITY DOCUMENT'
const noFace = 'NO_FACE_DETECTED'

type Row = readonly [asPassport: string, asFront: string, asBack: string, asSelfie: string]

const table: Readonly<Record<string, Row>> = {
  passport: ['', isPassport, isPassport, isDocument],
  'front of a card': [isCard, '', unread, isDocument],
  'back of a card': [isCard, noPortrait, '', noFace],
  'card with its zone in front': ['', '', '', isDocument],
  'front of an American licence': [isCard, '', unread, isDocument],
  'back of an American licence': [isCard, noPortrait, '', noFace],
  'front of a European licence': ['', '', unread, isDocument],
  face: [isFace, isFace, unread, ''],
  nothing: [unread, noPortrait, unread, noFace],
}

test('a picture of another kind than was chosen is named, and one of the right kind is not', async t => {
  const shown = await draw()
  const front = shown['front of a card'] ?? Buffer.alloc(0)
  const said: Record<string, Row> = {}
  for (const [name, image] of Object.entries(shown))
    said[name] = [
      await showDocument({ document_front: image }, 'PASSPORT'),
      await showDocument({ document_front: image }, 'ID_CARD'),
      await showDocument({ document_front: front, document_back: image }, 'ID_CARD'),
      await showSelfie(image),
    ]
  t.deepEqual(said, table)
})

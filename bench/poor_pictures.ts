/**
 * How many poor pictures an upload warns of: `node bench/poor_pictures.ts [CASES [CONDITION]]`. Passports photographed under every
 * condition of the photo simulator, selfies and answers to actions that are spoilt in one way each. Of those that the
 * analysis does not pass, the share that the looks of the image alone warn of (before), and that the analysis at the upload
 * does too (after); and of those that it passes, how many are warned of for nothing.
 */
import sharp from 'sharp'
import { judgeDocumentCapture, judgeFrameCapture, judgeSelfieCapture } from '../src/decision/capture_feedback.ts'
import { judgeDocument } from '../src/decision/document_rules.ts'
import type { LivenessAction } from '../src/decision/findings.ts'
import { measureImage } from '../src/engines/images/check_image.ts'
import { requireMediaType } from '../src/engines/images/media_type.ts'
import { findWarnings } from '../src/engines/images/warnings.ts'
import { analyse } from '../src/engines/local/analyse.ts'
import { analyseCapture } from '../src/engines/local/analyse_capture.ts'
import { readSides } from '../src/engines/local/document/read_sides.ts'
import { loadModels } from '../src/engines/local/models.ts'
import { loadTextReader } from '../src/engines/local/printed_text/tesseract.ts'
import type { AnalysisTools } from '../src/engines/local/tools.ts'
import type { AnalysisRequest, CaptureName, EncodedImage } from '../src/engines/port.ts'
import { renderDocument } from '../synthetic/document.ts'
import { photograph, photographFace } from '../synthetic/photo.ts'
import { photoConditions } from '../synthetic/photo_taking.ts'
import { type PortraitPose, person, personSeeds, renderPortrait } from '../synthetic/portrait.ts'
import { uploadLimits as limits } from '../test/engines/images/check_upload.ts'
import { inventedFields } from '../test/synthetic/invented.ts'
import { machine, table } from './measure.ts'

const cases = Number(process.argv[2] ?? 3)
/** Documents of this condition alone. */
const only = process.argv[3] ?? null
const today = '2026-11-22'
const tools: AnalysisTools = {
  models: await loadModels(),
  falseMatchRate: '0.001',
  readSides,
  readText: await loadTextReader(),
}

const empty: AnalysisRequest = {
  transaction_id: 'bench',
  transaction_type: 'DOCUMENT_AND_BIOMETRIC',
  document_front: null,
  document_back: null,
  selfie: null,
  challenge: null,
  enrolled_face: null,
}

function look(capture: CaptureName, images: Partial<AnalysisRequest>) {
  return analyseCapture(tools, { ...empty, ...images, capture, account_id: '', awaits_back: false })
}

/** Whether the analysis at the end passes the picture, and whether either way of looking at the upload warns of it. */
interface Outcome {
  readonly passes: boolean
  readonly before: boolean
  readonly after: boolean
}

async function isWarned(content: EncodedImage, subject: 'document' | 'selfie'): Promise<boolean> {
  const image = await measureImage({ content, mediaType: requireMediaType(content, limits), limits, subject })
  return findWarnings(subject, image).length > 0
}

async function tryDocument(document_front: EncodedImage): Promise<Outcome> {
  const before = await isWarned(document_front, 'document')
  const { findings } = await look('document_front', { document_front })
  const { document } = await analyse(tools, { ...empty, document_front })
  const passes = document !== null && judgeDocument(document, {}, today).section.status === 'PASSED'
  const feedback = findings.document && judgeDocumentCapture(findings.document, { awaitsBack: false, today })
  return { passes, before, after: before || (feedback?.warnings.length ?? 0) > 0 }
}

async function trySelfie(selfie: EncodedImage): Promise<Outcome> {
  const before = await isWarned(selfie, 'selfie')
  const { findings } = await look('selfie', { selfie })
  const { face } = await analyse(tools, { ...empty, selfie })
  const passes = face?.usable === true && face.faces_in_selfie === 1
  return {
    passes,
    before,
    after: before || (findings.face && judgeSelfieCapture(findings.face).warnings.length > 0) === true,
  }
}

async function tryAnswer(selfie: EncodedImage, action: LivenessAction, frame: EncodedImage): Promise<Outcome> {
  const before = await isWarned(frame, 'selfie')
  const challenge = { actions: [action], frames: [frame], attempts: 1 }
  const { kept } = await look('selfie', { selfie })
  const { findings } = await look('frame_0', { challenge, kept })
  const { liveness } = await analyse(tools, { ...empty, selfie, challenge })
  const feedback = findings.liveness && judgeFrameCapture(findings.liveness, { n: 0, hasSelfie: true })
  return {
    passes: liveness?.challenge[0]?.passed === true,
    before,
    after: before || (feedback?.warnings.length ?? 0) > 0,
  }
}

const spoilt: Readonly<Record<string, (selfie: Uint8Array) => Promise<Uint8Array>>> = {
  tiny: selfie => sharp(selfie).resize({ height: 200 }).jpeg().toBuffer(),
  blurred: selfie => sharp(selfie).blur(9).jpeg().toBuffer(),
  dark: selfie => sharp(selfie).linear(0.12).jpeg().toBuffer(),
  'too bright': selfie => sharp(selfie).linear(2.6).jpeg().toBuffer(),
  'half of it': selfie => sharp(selfie).extract({ left: 0, top: 0, width: 450, height: 500 }).jpeg().toBuffer(),
}
const poses: readonly PortraitPose[] = [
  {},
  { blink: 1 },
  { turn: 0.9 },
  { lookUp: 0.9 },
  { distance: 30, headWidth: 0.06 },
]
/** Each action done as asked, faintly, and not at all. */
const answers: readonly (readonly [LivenessAction, PortraitPose])[] = [
  ...(['TURN_LEFT', 'BLINK', 'OPEN_MOUTH', 'LOOK_UP'] as const).map(action => [action, {}] as const),
  ...[0.9, 0.2].map(turn => ['TURN_LEFT', { turn }] as const),
  ...[1, 0.3].map(blink => ['BLINK', { blink }] as const),
  ...[0.9, 0.15].map(mouthOpen => ['OPEN_MOUTH', { mouthOpen }] as const),
  ...[0.9, 0.15].map(lookUp => ['LOOK_UP', { lookUp }] as const),
]

async function take(who: number, pose: PortraitPose, seed = who): Promise<Buffer> {
  return photographFace(await renderPortrait(person(who), pose, { width: 900, height: 1200 }), seed)
}

const outcomes: Record<'documents' | 'selfies' | 'answers', Outcome[]> = { documents: [], selfies: [], answers: [] }
for (const who of personSeeds.slice(0, cases)) {
  const portrait = await renderPortrait(person(who), { distance: 8, headWidth: 0.6 }, { width: 350, height: 450 })
  const { front } = await renderDocument({ format: 'TD3', fields: inventedFields('TD3', who), portrait, seed: who })
  for (const condition of photoConditions.filter(one => only === null || one === only))
    for (const seed of condition === 'unusable' ? [1, 2, 3, 4] : [1])
      outcomes.documents.push(await tryDocument(await photograph(front, { seed: 10 * who + seed, condition })))
  if (only !== null) continue
  const selfie = await take(who, {})
  for (const spoil of Object.values(spoilt)) outcomes.selfies.push(await trySelfie(await spoil(selfie)))
  for (const pose of poses) outcomes.selfies.push(await trySelfie(await take(who, pose)))
  for (const [action, pose] of answers)
    outcomes.answers.push(await tryAnswer(selfie, action, await take(who, pose, who + 1000)))
}

function count(list: readonly Outcome[], passes: boolean, when: (one: Outcome) => boolean = () => true): string {
  return String(list.filter(one => one.passes === passes && when(one)).length)
}

console.log(machine())
console.log(
  table([
    ['', 'fail', 'warned before', 'warned after', 'pass', 'warned before', 'warned after'],
    ...Object.entries(outcomes).map(([name, list]) => [
      name,
      count(list, false),
      count(list, false, one => one.before),
      count(list, false, one => one.after),
      count(list, true),
      count(list, true, one => one.before),
      count(list, true, one => one.after),
    ]),
  ]),
)

/**
 * Captures are analysed as they arrive: the analysis at the end has the same findings, and nothing left to look at. In
 * this process, with the real models.
 */

import type { EngineFindings, LivenessAction } from '@attestor/rules'
import test from 'ava'
import { listUsefulParts } from '../../../src/verification/analysis/capture_feedback.ts'
import { analyse } from '../analyse.ts'
import { analyseCapture } from '../analyse_capture.ts'
import { readSides } from '../document/read_sides.ts'
import { loadModels } from '../models.ts'
import type {
  AnalysisRequest,
  CaptureAnalysis,
  CaptureName,
  EncodedImage,
  KeptByCapture,
  KeptFindings,
} from '../port.ts'
import { loadPrintReader } from '../print/load.ts'
import { renderDocument } from '../synthetic/document.ts'
import { photograph, photographFace } from '../synthetic/photo.ts'
import { type PortraitPose, person, personSeeds, renderPortrait } from '../synthetic/portrait.ts'
import type { AnalysisTools } from '../tools.ts'
import { inventedFields } from './synthetic/invented.ts'

const [anna = 1, ben = 2] = personSeeds

let opening: Promise<AnalysisTools> | null = null

async function open(): Promise<AnalysisTools> {
  return {
    models: await loadModels(),
    falseMatchRate: '0.001',
    readSides,
    print: await loadPrintReader(),
  }
}

function getTools(): Promise<AnalysisTools> {
  opening ??= open()
  return opening
}

function refuse(): never {
  throw new Error('an image was looked at again')
}

const { embedding } = await loadModels()

/** With these tools every look at pixels fails. */
const blindTools: AnalysisTools = {
  models: {
    detector: async () => refuse(),
    mesh: async () => refuse(),
    iris: async () => refuse(),
    embedding: { ...embedding, run: async () => refuse() },
    passiveLiveness: null,
  },
  falseMatchRate: '0.001',
  readSides,
  print: { read: refuse, layouts: [] },
}

async function face(seed: number, pose: PortraitPose): Promise<Buffer> {
  return photographFace(await renderPortrait(person(seed), pose, { width: 480, height: 640 }), seed)
}

type Images = Partial<Record<CaptureName, EncodedImage>>

const actions: readonly LivenessAction[] = ['TURN_LEFT', 'BLINK', 'TURN_RIGHT', 'OPEN_MOUTH']

async function faces(seed: number): Promise<Images> {
  return {
    selfie: await face(seed, { tilt: 0.1 }),
    frame_0: await face(seed, { turn: 0.5 }),
    frame_1: await face(seed, { blink: 1 }),
    frame_2: await face(seed, { turn: -0.5 }),
    frame_3: await face(seed, { mouthOpen: 0.9 }),
  }
}

async function documentOf(seed: number, format: 'TD1' | 'TD3'): Promise<Images> {
  const portrait = await renderPortrait(person(seed), { distance: 8, headWidth: 0.6 }, { width: 350, height: 450 })
  const { front, back } = await renderDocument({ format, fields: inventedFields(format, seed), portrait, seed })
  return {
    document_front: await photograph(front, { seed }),
    ...(back && { document_back: await photograph(back, { seed: seed + 1 }) }),
  }
}

function toRequest(images: Images, more: Partial<AnalysisRequest> = {}): AnalysisRequest {
  return {
    transaction_id: 'test',
    transaction_type: 'DOCUMENT_AND_BIOMETRIC',
    document_front: images.document_front ?? null,
    document_back: images.document_back ?? null,
    selfie: images.selfie ?? null,
    challenge: { actions, frames: actions.map((_, n) => images[`frame_${n}`] ?? null), attempts: 1 },
    enrolled_face: null,
    ...more,
  }
}

function selectUseful(kept: KeptByCapture, capture: CaptureName): KeptByCapture {
  return mapKept(kept, (name, found) => listUsefulParts(actions, capture, name).includes(found.kept_for))
}

function mapKept(kept: KeptByCapture, isWanted: (name: CaptureName, found: KeptFindings) => boolean): KeptByCapture {
  return Object.fromEntries(
    Object.entries(kept).map(([name, own]) => [
      name,
      (own ?? []).filter(found => isWanted(name as CaptureName, found)),
    ]),
  )
}

/** Replaces the findings that are kept for the same requests by new ones, as the service stores them. */
function mergeKept(before: KeptByCapture, made: KeptByCapture): KeptByCapture {
  const isReplaced = (name: CaptureName, { kept_for }: KeptFindings): boolean =>
    made[name]?.some(own => own.kept_for === kept_for) ?? false
  const others = mapKept(before, (name, found) => !isReplaced(name, found))
  const names = Object.keys({ ...before, ...made }) as CaptureName[]
  return Object.fromEntries(names.map(name => [name, [...(others[name] ?? []), ...(made[name] ?? [])]]))
}

/** Uploads captures one after the other, as the service asks the engine about them. */
async function upload(
  order: readonly (readonly [CaptureName, EncodedImage])[],
): Promise<{ kept: KeptByCapture; analyses: CaptureAnalysis[]; images: Images }> {
  let kept: KeptByCapture = {}
  let images: Images = {}
  const analyses: CaptureAnalysis[] = []
  const all = new Set(order.map(([capture]) => capture))
  for (const [capture, image] of order) {
    // A retake removes the findings in the capture before it.
    kept = { ...kept, [capture]: [] }
    images = { ...images, [capture]: image }
    const isShown = (name: string): boolean =>
      name === capture || (capture.startsWith('document_') && name.startsWith('document_'))
    const shown = Object.fromEntries(Object.entries(images).filter(([name]) => isShown(name)))
    const analysed = await analyseCapture(await getTools(), {
      ...toRequest(shown),
      capture,
      account_id: 'test',
      kept: selectUseful(kept, capture),
      awaits_back: capture === 'document_front' && all.has('document_back') && images.document_back === undefined,
    })
    analyses.push(analysed)
    kept = mergeKept(kept, analysed.kept)
  }
  return { kept, analyses, images }
}

function withoutTimes({ stages: _, ...findings }: EngineFindings): string {
  return JSON.stringify(findings)
}

function entries(images: Images, ...names: CaptureName[]) {
  return names.flatMap(name => (images[name] === undefined ? [] : [[name, images[name]] as const]))
}

const frameNames: readonly CaptureName[] = ['frame_0', 'frame_1', 'frame_2', 'frame_3']

for (const [format, seed] of [
  ['TD3', anna],
  ['TD1', ben],
] as const) {
  test.serial(
    `${format}: the findings at the uploads are those of the analysis, which looks at nothing again`,
    async t => {
      const all = { ...(await documentOf(seed, format)), ...(await faces(seed)) }
      const order = entries(all, 'document_front', 'document_back', 'selfie', ...frameNames)
      const { kept, analyses } = await upload(order)
      const inOneGo = await analyse(await getTools(), toRequest(all))
      t.like(inOneGo.document, { reading: 'READ', portrait_found: true })
      t.is(withoutTimes(await analyse(blindTools, toRequest(all, { kept }))), withoutTimes(inOneGo))
      const sides = analyses.flatMap(({ findings }) => findings.document ?? [])
      t.is(JSON.stringify(sides.at(-1)), JSON.stringify(inOneGo.document))
      t.true(analyses.flatMap(({ findings }) => findings.face ?? []).every(({ usable }) => usable))
      const passed = analyses.flatMap(({ findings }) => findings.liveness?.challenge.filter(step => step.passed) ?? [])
      t.true(passed.length >= 4, 'each frame beside those before')
      const sizes = Object.values(kept).map(own => own?.reduce((sum, { content }) => sum + content.length, 0) ?? 0)
      t.true(Math.max(...sizes) < 200_000, `${sizes} bytes are kept`)
      const forFrames = kept.selfie?.find(({ kept_for }) => kept_for === 'capture')?.content.length ?? 0
      t.true(forFrames > 0 && forFrames < 32_000, `each frame is judged against ${forFrames} bytes of the selfie`)
    },
  )
}

test.serial('frames before the selfie, retakes, and a part that is lost lead to the same findings', async t => {
  const own = await faces(anna)
  const other = await documentOf(anna, 'TD3')
  const all = { ...other, ...own }
  const retaken = await face(anna, { tilt: -0.05, light: { side: 0.3 } })
  const first = entries(all, ...frameNames, 'selfie', 'document_front')
  const { kept, images } = await upload([...first, ['selfie', retaken], ['frame_1', await face(anna, { blink: 0.9 })]])
  const inOneGo = withoutTimes(await analyse(await getTools(), toRequest(images)))
  t.is(withoutTimes(await analyse(blindTools, toRequest(images, { kept }))), inOneGo)
  // A crash lost some of it, and another version made the rest.
  const { selfie: _, frame_2: __, ...some } = kept
  const others = some.document_front?.map(found => ({ ...found, engine: 'attestor-local 0' })) ?? []
  const partly = toRequest(images, { kept: { ...some, document_front: others } })
  t.is(withoutTimes(await analyse(await getTools(), partly)), inOneGo)
  await t.throwsAsync(analyse(blindTools, partly), undefined, 'what was lost is looked at again')
  for (const lost of ['capture', 'analysis']) {
    const rest = toRequest(images, { kept: mapKept(kept, (_, { kept_for }) => kept_for !== lost) })
    t.is(withoutTimes(await analyse(await getTools(), rest)), inOneGo, `without what was kept for ${lost}`)
  }
})

test.serial('a picture of nothing is analysed once too, and its findings are those of one go', async t => {
  const nothing = await photograph(
    (await renderPortrait(person(ben), { distance: 40 }, { width: 350, height: 450 })) as Buffer,
    {
      seed: 1,
    },
  )
  const images: Images = { document_front: nothing, selfie: nothing, frame_0: nothing }
  const { kept, analyses } = await upload(entries(images, 'document_front', 'selfie', 'frame_0'))
  t.is(analyses[0]?.findings.document?.reading, 'NOT_READABLE')
  const inOneGo = withoutTimes(await analyse(await getTools(), toRequest(images)))
  t.is(withoutTimes(await analyse(blindTools, toRequest(images, { kept }))), inOneGo)
})

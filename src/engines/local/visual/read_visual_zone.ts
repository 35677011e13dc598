import type { VisualZone } from '../../../decision/findings.ts'
import { nameThreshold } from '../../../decision/names.ts'
import { matchName } from '../../../decision/visual_text.ts'
import { type Contrast, clearPaper, eraseLarge } from './ink.ts'
import { measureResolution, type PageView, rectify } from './page.ts'
import type { ReadWord, TextReader } from './tesseract.ts'

/** The surroundings that a pixel is compared with, in millimetres. */
const aroundMm = 4

/** In millimetres. No letter is larger, nor are a few letters that run together. */
const maxMm = { width: 30, height: 9 } as const

/** Names are printed about 2 mm high, and Tesseract reads capitals of 20 to 30 pixels best. */
interface ReadingPass {
  readonly contrast: Contrast
  readonly pixelsPerMm: number
}

const plainPass: ReadingPass = { contrast: { paper: 0.08, ink: 0.5 }, pixelsPerMm: 10 }
/** For thin or faint print. */
const faintPass: ReadingPass = { contrast: { paper: 0.04, ink: 0.9 }, pixelsPerMm: 10 }
/** For print that moved, or lies on a strong pattern. */
const patchyPass: ReadingPass = { contrast: { paper: 0.15, ink: 0.4 }, pixelsPerMm: 13 }

/** The least confidence of Tesseract in a word that counts as read; the word has at least three letters or digits. */
const minConfidence = 60
/**
 * At this confidence of Tesseract the digits of a word are right: of about a hundred dates on pages of
 * `test/bench/truth` one with 93 and one with 86 had a wrong digit, and none with 95 or more.
 */
const minDigitConfidence = 95
/** With fewer such words nothing can be said about an absent one. */
const minWords = 8
/**
 * Names are some 2 mm high, and under 14 pixels of it are misread: of specimens with 2.7 to 5.6 pixels a millimetre
 * three in a hundred had a wrong surname for this reason, of finer ones none.
 */
const minPixelsPerMm = 7
/** A busy table under a card may look like any amount of text. */
const maxLines = 200

const countSureWords = (lines: readonly (readonly ReadWord[])[]): number =>
  lines
    .flat()
    .filter(({ text, confidence }) => confidence >= minConfidence && text.replace(/[^\p{L}\p{N}]/gu, '').length >= 3)
    .length

type PassResult = Required<Omit<VisualZone, 'resolution'>>

const readPass = (reader: TextReader, view: PageView, { contrast, pixelsPerMm }: ReadingPass): PassResult => {
  const page = clearPaper(rectify(view, pixelsPerMm), aroundMm * pixelsPerMm, contrast)
  eraseLarge(page, { width: maxMm.width * pixelsPerMm, height: maxMm.height * pixelsPerMm })
  const read = reader(page)
  const kept = read.slice(0, maxLines)
  return {
    lines: kept.map(line => line.map(({ text }) => text)),
    sure_lines: kept.map(line => line.map(({ text, confidence }) => (confidence >= minDigitConfidence ? text : '?'))),
    legibility: { score: countSureWords(read), threshold: minWords },
  }
}

/** Where the text is, and where the second pass reads. */
export interface TextViews {
  readonly view: PageView
  /** The same, or a wider view in case `view` cuts text off. */
  readonly wider: PageView
}

const mergePasses = (one: Omit<VisualZone, 'resolution'>, other: PassResult): PassResult => ({
  lines: [...one.lines, ...other.lines],
  sure_lines: [...(one.sure_lines ?? []), ...other.sure_lines],
  legibility: { score: Math.max(one.legibility.score, other.legibility.score), threshold: minWords },
})

/** The text of the first pass. */
export type FirstText = VisualZone & Required<Pick<VisualZone, 'resolution'>>

/** Reads the printed text of a document once. */
export const readTextOnce = (reader: TextReader, view: PageView): FirstText => ({
  ...readPass(reader, view, plainPass),
  resolution: { score: measureResolution(view), threshold: minPixelsPerMm },
})

const lacks = (text: VisualZone, surname: string | null): boolean =>
  surname !== null && (matchName(surname, text) ?? 1) < nameThreshold

/** Whether another pass over the text could find more: it lacks the surname of the zone or the barcode, and is fine enough. */
export const isReadAgain = (text: FirstText, surname: string | null): boolean =>
  text.resolution.score >= minPixelsPerMm && lacks(text, surname)

/**
 * Up to two further passes, while the text lacks the surname. The third one counts only where it finds it: in print that
 * bad, absent text means nothing.
 */
export const readTextAgain = (
  reader: TextReader,
  { view, wider }: TextViews,
  { resolution, ...first }: FirstText,
  surname: string | null,
): VisualZone => {
  const second = mergePasses(first, readPass(reader, wider, faintPass))
  if (!lacks(second, surname)) return { ...second, resolution }
  const third = mergePasses(second, readPass(reader, view, patchyPass))
  return { ...(lacks(third, surname) ? second : third), resolution }
}

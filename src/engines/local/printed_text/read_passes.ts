import type { VisualZone } from '../../../decision/findings.ts'
import { nameThreshold } from '../../../decision/names.ts'
import { matchName } from '../../../decision/visual_text.ts'
import type { GreyImage } from '../../images/document_picture.ts'
import type { Mark } from '../../images/marks.ts'
import {
  blank,
  type Contrast,
  clearPaper,
  copyMarks,
  countCorners,
  cutMiddle,
  eraseLarge,
  findReadableShare,
} from './marks.ts'
import { measureResolution, type PageView, rectify } from './page_view.ts'
import type { ReadWord, TextReader } from './tesseract.ts'

/** The surroundings that a pixel is compared with, in millimetres. Tuned. */
const aroundMm = 4

/** In millimetres. No letter is larger, nor are a few letters that run together. Tuned. */
const maxMm = { width: 30, height: 9 } as const

/**
 * How much print of a page is read at most. A mark counts as its width by its height and again by `letterMm`: as fitted,
 * Tesseract takes about a millisecond for each. A tuned threshold: of 113 pages of specimens the fullest whose zone is
 * read has 819, a scan of two pages 1,314, a page of nothing but print 2,000, and one of small print 12,500.
 */
const maxPrint = 900
/** How much is read of a page that has more: it is no document alone, and the document is likely in the middle. */
const readPrint = 600
const letterMm = 2.5
/** In millimetres. Lower marks are specks: Tesseract reads no letters of them. */
const minMarkMm = 0.5
/**
 * With more corners a page is no print but noise: specks, or shades too pale to be marks, which Tesseract takes apart for up
 * to a hundred seconds. Then only marks as large as letters are read. Of 40 pages of specimens the fullest has 4,200; the
 * palest noise that costs Tesseract seconds has 40,000.
 */
const maxCorners = 10_000

/** Names are printed about 2 mm high, and Tesseract reads capitals of 20 to 30 pixels best. */
export interface ReadingPass {
  readonly contrast: Contrast
  readonly pixelsPerMm: number
}

const plainPass: ReadingPass = { contrast: { paper: 0.08, ink: 0.5 }, pixelsPerMm: 10 }
/** For thin or faint print. */
const faintPass: ReadingPass = { contrast: { paper: 0.04, ink: 0.9 }, pixelsPerMm: 10 }
/** For print that moved, or lies on a strong pattern. */
const patchyPass: ReadingPass = { contrast: { paper: 0.15, ink: 0.4 }, pixelsPerMm: 13 }

/** Three readings of one page that differ in scale and contrast. */
export const licencePasses: readonly [ReadingPass, ...ReadingPass[]] = [
  plainPass,
  { contrast: { paper: 0.05, ink: 0.7 }, pixelsPerMm: 12 },
  patchyPass,
]

/** The least confidence of Tesseract in a word that counts as read; the word has at least three letters or digits. */
const minConfidence = 60
/**
 * At this confidence of Tesseract the digits of a word are right: of about a hundred dates on pages of
 * `bench/truth` one with 93 and one with 86 had a wrong digit, and none with 95 or more.
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

function countSureWords(lines: readonly (readonly ReadWord[])[]): number {
  return lines
    .flat()
    .filter(({ text, confidence }) => confidence >= minConfidence && text.replace(/[^\p{L}\p{N}]/gu, '').length >= 3)
    .length
}

type PassResult = Required<Omit<VisualZone, 'resolution'>>

/** A page as it is read, and whether that is all of it. */
interface ReadablePage {
  readonly page: GreyImage
  readonly isWhole: boolean
}

/**
 * The page without what is no print; of a page with too much print the middle, where a document is rather than a table. Of
 * noise nothing is left.
 */
function preparePage(view: PageView, { contrast, pixelsPerMm }: ReadingPass): ReadablePage {
  const cleared = clearPaper(rectify(view, pixelsPerMm), aroundMm * pixelsPerMm, contrast)
  const marks = eraseLarge(cleared, { width: maxMm.width * pixelsPerMm, height: maxMm.height * pixelsPerMm })
  const print = marks.filter(({ height }) => height >= minMarkMm * pixelsPerMm)
  const costOf = ({ width, height }: Mark): number => width / height + width / (letterMm * pixelsPerMm)
  const isWhole = print.reduce((sum, mark) => sum + costOf(mark), 0) <= maxPrint
  const share = isWhole ? 1 : findReadableShare(cleared, print, { costOf, most: readPrint })
  const page = cutMiddle(cleared, share)
  if (countCorners(page) <= maxCorners) return { page, isWhole }
  const plain = cutMiddle(copyMarks(cleared, print), share)
  return { page: countCorners(plain) <= maxCorners ? plain : blank(plain), isWhole: false }
}

function readPage(reader: TextReader, { page, isWhole }: ReadablePage): PassResult {
  const read = reader(page)
  const kept = read.slice(0, maxLines)
  const words = countSureWords(read)
  return {
    lines: kept.map(line => line.map(({ text }) => text)),
    sure_lines: kept.map(line => line.map(({ text, confidence }) => (confidence >= minDigitConfidence ? text : '?'))),
    // An absent word may be where nothing was read.
    legibility: { score: isWhole ? words : Math.min(words, minWords - 1), threshold: minWords },
  }
}

/** The words of a page, with their places in its level picture. */
export function readWords(reader: TextReader, view: PageView, pass: ReadingPass): readonly ReadWord[] {
  return reader(preparePage(view, pass).page).flat()
}

function readPass(reader: TextReader, view: PageView, pass: ReadingPass): PassResult {
  return readPage(reader, preparePage(view, pass))
}

/** Where the text is, and where the second pass reads. */
export interface TextViews {
  readonly view: PageView
  /** The same, or a wider view in case `view` cuts text off. */
  readonly wider: PageView
}

function mergePasses(one: VisualZone, other: PassResult): VisualZone {
  return {
    ...one,
    lines: [...one.lines, ...other.lines],
    sure_lines: [...(one.sure_lines ?? []), ...other.sure_lines],
    legibility: { score: Math.max(one.legibility.score, other.legibility.score), threshold: minWords },
  }
}

/** The text of the first pass, and whether it is fine enough and all of it, so that another could find more. */
export interface FirstText {
  readonly text: VisualZone
  readonly isWorthMore: boolean
}

/** Reads the printed text of a document once. */
export function readTextOnce(reader: TextReader, view: PageView): FirstText {
  const readable = preparePage(view, plainPass)
  const resolution = { score: measureResolution(view), threshold: minPixelsPerMm }
  return {
    text: { ...readPage(reader, readable), resolution },
    isWorthMore: readable.isWhole && resolution.score >= minPixelsPerMm,
  }
}

function lacks(text: VisualZone, surname: string | null): boolean {
  return surname !== null && (matchName(surname, text) ?? 1) < nameThreshold
}

/** Whether another pass is worth its cost: the text lacks the surname of the zone or the barcode. */
export function isReadAgain({ text, isWorthMore }: FirstText, surname: string | null): boolean {
  return isWorthMore && lacks(text, surname)
}

/**
 * Up to two further passes, while the text lacks the surname. The third one counts only where it finds it: in print that
 * bad, absent text means nothing.
 */
export function readTextAgain(
  reader: TextReader,
  { view, wider }: TextViews,
  first: VisualZone,
  surname: string | null,
): VisualZone {
  const second = mergePasses(first, readPass(reader, wider, faintPass))
  if (!lacks(second, surname)) return second
  const third = mergePasses(second, readPass(reader, view, patchyPass))
  return lacks(third, surname) ? second : third
}

import test from 'ava'
import type { RgbImage } from '../../src/engines/images/raster.ts'
import { fitHomography, project } from '../../src/engines/local/geometry/homography.ts'
import type { Point } from '../../src/engines/local/geometry/pixels.ts'
import { findOutline, viewCard } from '../../src/engines/local/printed_text/card_outline.ts'
import { locateInPicture, rectify, toGreen } from '../../src/engines/local/printed_text/page_view.ts'

interface Shot {
  /** Degrees: in the picture's plane, about the card's long and about its short axis. */
  readonly turn?: number
  readonly tip?: number
  readonly swing?: number
  /** Where the card's middle is, in shares of the picture from its own. */
  readonly off?: Point
  readonly card?: { readonly width: number; readonly height: number }
  readonly paper?: number
}

const frame = { width: 800, height: 600 } as const
/** Of a phone's camera, in pixels; the card is so far that it fills three fifths of the frame. */
const focal = 0.75 * frame.width
const awayMm = (focal * 85.6) / (0.6 * frame.width)
const eyesMm: readonly [Point, Point] = [
  [12, 25],
  [23, 25],
]

/** Where a place of a card comes to lie in a photo, in millimetres from the card's corner. */
function seenBy({ turn = 0, tip = 0, swing = 0, off = [0, 0], card = { width: 85.6, height: 54 } }: Shot) {
  const [r, t, s] = [turn, tip, swing].map(degrees => (degrees * Math.PI) / 180) as [number, number, number]
  return ([u, v]: Point): Point => {
    const x = u - card.width / 2
    const y = v - card.height / 2
    const a = x * Math.cos(r) - y * Math.sin(r)
    const b = x * Math.sin(r) + y * Math.cos(r)
    const down = b * Math.cos(t)
    const z = b * Math.sin(t)
    const across = a * Math.cos(s) + z * Math.sin(s)
    const far = awayMm + z * Math.cos(s) - a * Math.sin(s)
    const seen = (place: number, shift: number, size: number): number => size * (0.5 + shift) + (focal * place) / far
    return [seen(across, off[0], frame.width), seen(down, off[1], frame.height)]
  }
}

/** A card with rows of marks on a striped table. */
function photo(shot: Shot): { pixels: RgbImage; at: (place: Point) => Point } {
  const { card = { width: 85.6, height: 54 }, paper = 200 } = shot
  const at = seenBy(shot)
  const corners: Point[] = [
    [0, 0],
    [card.width, 0],
    [card.width, card.height],
    [0, card.height],
  ]
  const toCard = fitHomography(corners.map(to => ({ from: at(to), to })))
  const data = new Uint8Array(frame.width * frame.height * 3)
  for (let place = 0; place < frame.width * frame.height; place++) {
    const x = place % frame.width
    const y = Math.floor(place / frame.width)
    const [u, v] = toCard === null ? [-1, -1] : project(toCard, x, y)
    const isCard = u >= 0 && v >= 0 && u < card.width && v < card.height
    const isMark = u > 34 && u < 34 + ((v * 7) % 40) && v > 10 && v % 6 < 2 && u % 3 < 2
    const shade = isCard ? (isMark ? 40 : paper) : 90 + 10 * Math.sin((x + 2 * y) / 30)
    data.fill(shade, place * 3, place * 3 + 3)
  }
  return { pixels: { ...frame, data }, at }
}

function found(shot: Shot) {
  const { pixels, at } = photo(shot)
  return { pixels, at, outline: findOutline(pixels, [at(eyesMm[0]), at(eyesMm[1])]) }
}

test('a card is found by its four sides, however it is turned and tilted', t => {
  const shots: Shot[] = [
    {},
    { turn: 18 },
    { tip: 26, swing: 20 },
    { tip: -24, swing: 22, turn: -20, off: [0.05, -0.04] },
    { swing: -25, paper: 130 },
  ]
  for (const shot of shots) {
    const { at, outline } = found(shot)
    const corners: Point[] = [
      [0, 0],
      [85.6, 0],
      [85.6, 54],
      [0, 54],
    ]
    for (const [index, corner] of corners.entries()) {
      const [x, y] = at(corner)
      const [fx, fy] = outline?.[index] ?? [0, 0]
      t.true(Math.hypot(fx - x, fy - y) < 6, `${JSON.stringify(shot)}: corner ${index} within a millimetre`)
    }
  }
})

test('a card that is found is seen straight from above', t => {
  const { pixels, at, outline } = found({ tip: 24, swing: -22, turn: 12 })
  const view = outline && viewCard(toGreen(pixels), outline)
  if (view === null) return t.fail('no card')
  const level = rectify(view, 5)
  t.is(level.width, Math.round(5 * 83.6))
  // A row of marks from (34, 18) to (34 + 6, 20) of the card, whose rim of a millimetre is left out.
  const shade = (x: number, y: number): number =>
    level.data[Math.round((y - 1) * 5) * level.width + Math.round((x - 1) * 5)] ?? 0
  t.true(shade(37, 19) < 80)
  t.true(shade(37, 22) > 160)
  t.true(Math.abs(at([0, 0])[0] - locateInPicture(view, -1, -1)[0]) < 6)
})

test('what no camera sees of a card is none, nor is one that is cut off or as bright as its table', t => {
  t.is(found({ card: { width: 85.6, height: 70 } }).outline, null, 'another ratio')
  t.is(found({ card: { width: 85.6, height: 40 } }).outline, null)
  t.is(found({ off: [0.4, 0] }).outline, null, 'a side is outside of the picture')
  t.is(found({ paper: 90 }).outline, null)
})

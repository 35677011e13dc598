import { eyesMm, pageMeasures } from '../../document_measures.ts'
import type { GreyImage } from '../../images/document_picture.ts'
import type { RgbImage } from '../../images/raster.ts'
import { fitHomography, projectAll } from '../geometry/homography.ts'
import { halvePicture, type Point } from '../geometry/pixels.ts'
import { findLines, type Line } from './lines.ts'
import { clipReach, type Eyes, locateInPicture, type PageView, rectify, toGreen, viewAround } from './page_view.ts'

/** A card's corners in its picture, clockwise from the upper left one of the upright card. */
export type Outline = readonly [Point, Point, Point, Point]

const { width, height } = pageMeasures.TD1
/** ID-1. What is left out at its corners is tuned: a little more than they are. */
export const cardMm = { width, height, corner: 3.5 } as const
/** Nothing is printed this near to the edge, and remains of the table would be read as strokes. Tuned. */
const insetMm = 1

/**
 * The following lengths are in pixels of a level picture around the portrait. Its scale is estimated from the eyes, and
 * is between two thirds and one and a half of the card's true scale. All of them are tuned.
 */
const pixelsPerMm = 2.5
const reachMm = { left: 110, right: 110, above: 50, below: 62 } as const
const least = { width: 45 * pixelsPerMm, height: 28 * pixelsPerMm } as const
const most = { width: 135 * pixelsPerMm, height: 85 * pixelsPerMm } as const
/** A side that runs along the picture's border is an edge only with something beyond it. */
const rimMm = 2
/** How far a portrait's eyes are from the card's sides at least, in millimetres. Tuned. */
export const headroomMm = { left: 8, right: 8, above: 7, below: 12 } as const

/** Where a line that runs down meets one that runs across. */
function intersect(down: Line, across: Line): Point {
  const lean = across.slope * (down.offset - down.slope * down.origin - across.origin)
  const y = (across.offset + lean) / (1 - across.slope * down.slope)
  return [down.offset + down.slope * (y - down.origin), y]
}

/** How much of a side shows as an edge, 0 to 1; its corners are round. */
function measureShownShare({ shown }: Line, from: number, to: number): number {
  const inset = cardMm.corner * pixelsPerMm
  const within = (at: number): number => shown[Math.min(shown.length - 1, Math.max(0, Math.round(at)))] ?? 0
  return (within(to - inset) - within(from + inset)) / (to - from - 2 * inset)
}

/** Lines that may be a card's sides. */
interface Sides {
  readonly left: readonly Line[]
  readonly right: readonly Line[]
  readonly top: readonly Line[]
  readonly bottom: readonly Line[]
}

/** A side of which less is shown counts as missing. */
const minShown = 0.4

/** Four lines that may be a card's, in pixels of the level picture. */
interface Quad {
  readonly corners: Outline
  /** The mean of the shown shares of its sides, plus half of the smallest: 0 to 1.5. */
  readonly shown: number
}

function createQuad(left: Line, right: Line, top: Line, bottom: Line): Quad | null {
  const corners: Outline = [
    intersect(left, top),
    intersect(right, top),
    intersect(right, bottom),
    intersect(left, bottom),
  ]
  const [a, b, c, d] = corners
  const width = Math.min(b[0] - a[0], c[0] - d[0])
  const height = Math.min(c[1] - b[1], d[1] - a[1])
  if (width < least.width || width > most.width || height < least.height || height > most.height) return null
  const shares = [
    measureShownShare(left, a[1], d[1]),
    measureShownShare(right, b[1], c[1]),
    measureShownShare(top, a[0], b[0]),
    measureShownShare(bottom, d[0], c[0]),
  ]
  const smallest = Math.min(...shares)
  if (smallest < minShown) return null
  return { corners, shown: shares.reduce((sum, share) => sum + share / 4, smallest / 2) }
}

function listQuads({ left, right, top, bottom }: Sides): Quad[] {
  return top.flatMap(above =>
    bottom.flatMap(below =>
      left.flatMap(before => right.flatMap(after => createQuad(before, after, above, below) ?? [])),
    ),
  )
}

/** Focal lengths in shares of a picture's longer side: of a phone's camera, and of twice its zoom. */
const focalLengths = [0.75, 1.5] as const
/** How far a seen card's ratio (its logarithm) and the cosine of its angles may be from those of a card. */
const maxOff = 0.12

const unitSquare = [0, 1, 2, 3].map(at => [Number(at === 1 || at === 2), Number(at > 1)] as const)

/** How little a quadrilateral looks like a card before a camera: 0 to 1 for one that may be a card. */
function measureStrangeness(corners: Outline, { width, height }: RgbImage): number {
  const offs = focalLengths.map(focal => {
    const length = focal * Math.max(width, height)
    const rays = corners.map(([x, y]) => [(x - width / 2) / length, (y - height / 2) / length] as const)
    const map = fitHomography(unitSquare.map((from, at) => ({ from, to: rays[at] ?? [0, 0] })))
    if (map === null) return Number.POSITIVE_INFINITY
    // The card's sides in the camera's space (Zhang 2000): the first two columns of the map.
    const along = [map[0], map[3], map[6]] as const
    const down = [map[1], map[4], map[7]] as const
    const wide = Math.hypot(...along)
    const high = Math.hypot(...down)
    const cosine = (along[0] * down[0] + along[1] * down[1] + along[2] * down[2]) / (wide * high)
    const ratio = Math.log((wide * cardMm.height) / (high * cardMm.width))
    return Math.max(Math.abs(ratio), Math.abs(cosine)) / maxOff
  })
  return Math.min(...offs)
}

/** With less than this in `shown`, the sides may be any lines. */
const minQuality = 0.9
/** How many lines are tried for a side, and their least length in pixels of the level picture. */
const tried = { most: 14, minVotes: 28 } as const

function transpose({ data, width, height }: GreyImage): GreyImage {
  const turned = new Uint8Array(data.length)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) turned[x * height + y] = data[y * width + x] ?? 0
  return { data: turned, width: height, height: width }
}

function findSides(view: PageView, [x, y]: Point): Sides {
  const { widthMm, heightMm } = view
  const level = rectify(view, pixelsPerMm)
  const [left = [], right = []] = findLines(level, { ...tried, origin: y }, [
    [0, x - headroomMm.left * pixelsPerMm],
    [x + headroomMm.right * pixelsPerMm, widthMm * pixelsPerMm],
  ])
  const [top = [], bottom = []] = findLines(transpose(level), { ...tried, origin: x }, [
    [0, y - headroomMm.above * pixelsPerMm],
    [y + headroomMm.below * pixelsPerMm, heightMm * pixelsPerMm],
  ])
  return { left, right, top, bottom }
}

/** Shrinks the picture to nearly the wanted number of pixels a millimetre. */
function shrinkPicture(pixels: RgbImage, scale: number): { readonly small: RgbImage; readonly by: number } {
  if (scale < 1.5 * pixelsPerMm) return { small: pixels, by: 1 }
  const { small, by } = shrinkPicture(halvePicture(pixels), scale / 2)
  return { small, by: by * 2 }
}

/**
 * The outline of the card around a portrait: of all quadrilaterals of straight edges around its eyes that may be a card
 * before a camera, the one whose sides show best. Null if there is none: the card is cut off, bent, or as bright as its
 * table.
 */
export function findOutline(pixels: RgbImage, [left, right]: Eyes): Outline | null {
  const { small, by } = shrinkPicture(pixels, Math.hypot(right[0] - left[0], right[1] - left[1]) / eyesMm.norm)
  const eyes = [[left[0] / by, left[1] / by] as const, [right[0] / by, right[1] / by] as const] as const
  const green = toGreen(small)
  const within = clipReach(green, eyes, reachMm)
  const across = within.left + rimMm
  const down = within.above + rimMm
  const reach = { left: across, right: within.right + rimMm, above: down, below: within.below + rimMm }
  const view = viewAround(green, eyes, reach)
  const middle = [across * pixelsPerMm, down * pixelsPerMm] as const
  const inPicture = ([x, y]: Point): Point => {
    const [px, py] = locateInPicture(view, x / pixelsPerMm, y / pixelsPerMm)
    return [px * by, py * by]
  }
  let best: { readonly corners: Outline; readonly quality: number } | null = null
  for (const { corners, shown } of listQuads(findSides(view, middle))) {
    const [a, b, c, d] = corners
    const seen: Outline = [inPicture(a), inPicture(b), inPicture(c), inPicture(d)]
    const off = measureStrangeness(seen, pixels)
    const quality = shown - off / 10
    if (off <= 1 && quality > (best?.quality ?? minQuality)) best = { corners: seen, quality }
  }
  return best?.corners ?? null
}

/** The card as seen from straight above, without its rim. */
export function viewCard(picture: GreyImage, outline: Outline): PageView | null {
  const { width, height } = cardMm
  const map = fitHomography(
    unitSquare.map(([x, y], at) => ({ from: [x * width, y * height], to: outline[at] ?? [0, 0] })),
  )
  return (
    map && {
      picture,
      widthMm: width - 2 * insetMm,
      heightMm: height - 2 * insetMm,
      locate: places => {
        for (let n = 0; n < places.length; n++) places[n] = (places[n] as number) + insetMm
        projectAll(map, places)
      },
    }
  )
}

import type { RgbImage } from '../../../images/raster.ts'
import { fitHomography, project } from '../document/homography.ts'
import type { GreyImage } from '../document/picture.ts'
import { halvePicture, type Point } from '../face/pixels.ts'
import { findLines, type Line } from './lines.ts'
import { type Eyes, eyes_mm, toGreen, viewAround, type PageView, clipReach, rectify } from './page.ts'

/** A card's corners in its picture, clockwise from the upper left one of the upright card. */
export type Outline = readonly [Point, Point, Point, Point]

/** ISO/IEC 7810, ID-1. */
const card_mm = { width: 85.6, height: 54, corner: 3.5 } as const
/** Nothing is printed so near to the edge, and what is left of the table would be read as strokes. */
const inset_mm = 1

/**
 * All that follows is in pixels of a level picture around the portrait, so many to the millimetre as its eyes tell them,
 * which is between two thirds and one and a half of the card's own.
 */
const pixels_per_mm = 2.5
const reach_mm = { left: 110, right: 110, above: 50, below: 62 } as const
const least = { width: 45 * pixels_per_mm, height: 28 * pixels_per_mm } as const
const most = { width: 135 * pixels_per_mm, height: 85 * pixels_per_mm } as const
/** A side that runs along the picture's border is an edge only with something beyond it. */
const rim_mm = 2
/** A head is as far from the card's sides, in millimetres. */
const beside_mm = 8
const above_mm = 7
const below_mm = 12

/** Where a line that runs down meets one that runs across. */
const intersect = (down: Line, across: Line): Point => {
  const lean = across.slope * (down.offset - down.slope * down.origin - across.origin)
  const y = (across.offset + lean) / (1 - across.slope * down.slope)
  return [down.offset + down.slope * (y - down.origin), y]
}

/** How much of a side shows as an edge, 0 to 1; its corners are round. */
const measureShownShare = ({ shown }: Line, from: number, to: number): number => {
  const inset = card_mm.corner * pixels_per_mm
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

/** Less of a side is none. */
const least_shown = 0.4

/** Four lines that may be a card's, in pixels of the level picture. */
interface Quad {
  readonly corners: Outline
  /** The mean of what its sides show, and half of what the least of them does: 0 to 1.5. */
  readonly shown: number
}

const createQuad = (left: Line, right: Line, top: Line, bottom: Line): Quad | null => {
  const corners: Outline = [intersect(left, top), intersect(right, top), intersect(right, bottom), intersect(left, bottom)]
  const [a, b, c, d] = corners
  const [width, height] = [Math.min(b[0] - a[0], c[0] - d[0]), Math.min(c[1] - b[1], d[1] - a[1])]
  if (width < least.width || width > most.width || height < least.height || height > most.height) return null
  const shares = [
    measureShownShare(left, a[1], d[1]),
    measureShownShare(right, b[1], c[1]),
    measureShownShare(top, a[0], b[0]),
    measureShownShare(bottom, d[0], c[0]),
  ]
  const smallest = Math.min(...shares)
  if (smallest < least_shown) return null
  return { corners, shown: shares.reduce((sum, share) => sum + share / 4, smallest / 2) }
}

const listQuads = ({ left, right, top, bottom }: Sides): Quad[] =>
  top.flatMap(above =>
    bottom.flatMap(below => left.flatMap(before => right.flatMap(after => createQuad(before, after, above, below) ?? []))),
  )

/** Focal lengths in shares of a picture's longer side: of a phone's camera, and of twice its zoom. */
const focal_lengths = [0.75, 1.5] as const
/** How far a seen card's ratio (its logarithm) and the cosine of its angles may be from those of a card. */
const most_off = 0.12

const unit_square = [0, 1, 2, 3].map(at => [Number(at === 1 || at === 2), Number(at > 1)] as const)

/** How little a quadrilateral looks like a card before a camera, 0 to 1 for what may be one. */
const measureStrangeness = (corners: Outline, { width, height }: RgbImage): number => {
  const offs = focal_lengths.map(focal => {
    const length = focal * Math.max(width, height)
    const rays = corners.map(([x, y]) => [(x - width / 2) / length, (y - height / 2) / length] as const)
    const map = fitHomography(unit_square.map((from, at) => ({ from, to: rays[at] ?? [0, 0] })))
    if (map === null) return Number.POSITIVE_INFINITY
    // The card's sides in the camera's space (Zhang 2000): the first two columns of the map.
    const [along, down] = [[map[0], map[3], map[6]] as const, [map[1], map[4], map[7]] as const]
    const [wide, high] = [Math.hypot(...along), Math.hypot(...down)]
    const cosine = (along[0] * down[0] + along[1] * down[1] + along[2] * down[2]) / (wide * high)
    const ratio = Math.log((wide * card_mm.height) / (high * card_mm.width))
    return Math.max(Math.abs(ratio), Math.abs(cosine)) / most_off
  })
  return Math.min(...offs)
}

/** Sides that show less than this, together and the least of them, may be any lines. */
const least_quality = 0.9
/** So many lines are tried for a side, each at least so long in pixels of the level picture. */
const tried = { most: 14, minVotes: 28 } as const

const findSides = (view: PageView, [x, y]: Point): Sides => {
  const { widthMm: width_mm, heightMm: height_mm, at } = view
  const lying: PageView = { ...view, widthMm: height_mm, heightMm: width_mm, at: (x, y) => at(y, x) }
  const [left = [], right = []] = findLines(rectify(view, pixels_per_mm), { ...tried, origin: y }, [
    [0, x - beside_mm * pixels_per_mm],
    [x + beside_mm * pixels_per_mm, width_mm * pixels_per_mm],
  ])
  const [top = [], bottom = []] = findLines(rectify(lying, pixels_per_mm), { ...tried, origin: x }, [
    [0, y - above_mm * pixels_per_mm],
    [y + below_mm * pixels_per_mm, height_mm * pixels_per_mm],
  ])
  return { left, right, top, bottom }
}

/** The picture small, and by how much it was shrunk: nearly as few pixels to the millimetre as are wanted. */
const shrinkPicture = (pixels: RgbImage, scale: number): { readonly small: RgbImage; readonly by: number } => {
  if (scale < 1.5 * pixels_per_mm) return { small: pixels, by: 1 }
  const { small, by } = shrinkPicture(halvePicture(pixels), scale / 2)
  return { small, by: by * 2 }
}

/**
 * The outline of the card around a portrait: of all quadrilaterals of straight edges around its eyes that a camera may
 * see of a card, the one whose sides show best. Null where none does: the card is cut off, bent, or as bright as its table.
 */
export const findOutline = (pixels: RgbImage, [left, right]: Eyes): Outline | null => {
  const { small, by } = shrinkPicture(pixels, Math.hypot(right[0] - left[0], right[1] - left[1]) / eyes_mm)
  const eyes = [[left[0] / by, left[1] / by] as const, [right[0] / by, right[1] / by] as const] as const
  const green = toGreen(small)
  const within = clipReach(green, eyes, reach_mm)
  const [across, down] = [within.left + rim_mm, within.above + rim_mm]
  const reach = { left: across, right: within.right + rim_mm, above: down, below: within.below + rim_mm }
  const view = viewAround(green, eyes, reach)
  const middle = [across * pixels_per_mm, down * pixels_per_mm] as const
  const inPicture = ([x, y]: Point): Point => {
    const [px, py] = view.at(x / pixels_per_mm, y / pixels_per_mm)
    return [px * by, py * by]
  }
  let best: { readonly corners: Outline; readonly quality: number } | null = null
  for (const { corners, shown } of listQuads(findSides(view, middle))) {
    const [a, b, c, d] = corners
    const seen: Outline = [inPicture(a), inPicture(b), inPicture(c), inPicture(d)]
    const off = measureStrangeness(seen, pixels)
    const quality = shown - off / 10
    if (off <= 1 && quality > (best?.quality ?? least_quality)) best = { corners: seen, quality }
  }
  return best?.corners ?? null
}

/** The card as seen from straight above, without its rim. */
export const viewCard = (picture: GreyImage, outline: Outline): PageView | null => {
  const { width, height } = card_mm
  const map = fitHomography(
    unit_square.map(([x, y], at) => ({ from: [x * width, y * height], to: outline[at] ?? [0, 0] })),
  )
  return (
    map && {
      picture,
      widthMm: width - 2 * inset_mm,
      heightMm: height - 2 * inset_mm,
      at: (x, y) => project(map, x + inset_mm, y + inset_mm),
    }
  )
}

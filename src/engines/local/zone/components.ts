import { releaseBuffer } from '../../../base/release_buffer.ts'
import { findInkByBlocks, findInkByMean } from '../../images/binarise.ts'
import type { GreyImage } from '../../images/document_picture.ts'
import { halveGrey } from './cells.ts'

/** A connected dark spot: its box's centre and size, in pixels. */
export interface Spot {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Pieces of ink, which later rows may connect (union-find): each refers to another piece of its spot, the first to itself. */
interface Pieces {
  readonly parent: number[]
  readonly left: number[]
  readonly right: number[]
  readonly top: number[]
  readonly low: number[]
  readonly count: number[]
}

function findRoot({ parent }: Pieces, piece: number): number {
  let at = piece
  for (let next = parent[at] ?? at; next !== at; next = parent[at] ?? at) {
    parent[at] = parent[next] ?? next
    at = next
  }
  return at
}

function joinPieces(pieces: Pieces, one: number, other: number): number {
  const a = findRoot(pieces, one)
  const b = findRoot(pieces, other)
  if (a < b) pieces.parent[b] = a
  else pieces.parent[a] = b
  return Math.min(a, b)
}

/** A stretch of ink in a row; its end is exclusive. */
interface Stretch {
  readonly from: number
  readonly to: number
  readonly y: number
}

function addPiece({ parent, left, right, top, low, count }: Pieces, { from, to, y }: Stretch): number {
  left.push(from)
  right.push(to)
  top.push(y)
  low.push(y + 1)
  count.push(to - from)
  return parent.push(parent.length) - 1
}

function extendPiece({ left, right, low, count }: Pieces, piece: number, { from, to, y }: Stretch): number {
  if ((left[piece] ?? 0) > from) left[piece] = from
  if ((right[piece] ?? 0) < to) right[piece] = to
  low[piece] = y + 1
  count[piece] = (count[piece] ?? 0) + to - from
  return piece
}

/** The stretches of ink of a row: for each its first pixel, the one after its last, and its piece. */
interface Runs {
  readonly from: Int32Array
  readonly to: Int32Array
  readonly piece: Int32Array
  count: number
}

function emptyRuns(width: number): Runs {
  const most = (width >> 1) + 1
  return { from: new Int32Array(most), to: new Int32Array(most), piece: new Int32Array(most), count: 0 }
}

function findRuns(ink: Uint8Array, begin: number, width: number, runs: Runs): void {
  runs.count = 0
  for (let x = 0; x < width; x++) {
    if (ink[begin + x] !== 1) continue
    runs.from[runs.count] = x
    while (x < width && ink[begin + x] === 1) x++
    runs.to[runs.count++] = x
  }
}

/** Gives a row's runs the pieces of the row above that they touch, by a corner too, or new ones. */
function connect(pieces: Pieces, runs: Runs, above: Runs, y: number): void {
  let first = 0
  for (let at = 0; at < runs.count; at++) {
    const from = runs.from[at] ?? 0
    const to = runs.to[at] ?? 0
    let piece = -1
    while (first < above.count && (above.to[first] ?? 0) < from) first++
    for (let n = first; n < above.count && (above.from[n] ?? 0) <= to; n++) {
      const touched = above.piece[n] ?? 0
      piece = piece < 0 ? touched : joinPieces(pieces, piece, touched)
    }
    runs.piece[at] = piece < 0 ? addPiece(pieces, { from, to, y }) : extendPiece(pieces, piece, { from, to, y })
  }
}

/** Adds all pieces of a spot to its first piece. */
function mergePieces(pieces: Pieces): void {
  const { parent, left, right, top, low, count } = pieces
  for (let piece = parent.length - 1; piece >= 0; piece--) {
    const first = findRoot(pieces, piece)
    if (first === piece) continue
    left[first] = Math.min(left[first] ?? 0, left[piece] ?? 0)
    right[first] = Math.max(right[first] ?? 0, right[piece] ?? 0)
    top[first] = Math.min(top[first] ?? 0, top[piece] ?? 0)
    low[first] = Math.max(low[first] ?? 0, low[piece] ?? 0)
    count[first] = (count[first] ?? 0) + (count[piece] ?? 0)
  }
}

/** More spots than a document on a busy table shows are grain, which another threshold or a smaller picture avoids. */
const maxSpots = 6000
/** Ink with fewer pixels a piece than this is grain, in which no character can be recognised. */
const grainPixels = 20

/**
 * The connected spots that could be characters: 8-neighbours, neither specks nor large things; none where there are too
 * many for a document.
 */
function toSpots(ink: Uint8Array, width: number, height: number): Spot[] {
  const pieces: Pieces = { parent: [], left: [], right: [], top: [], low: [], count: [] }
  let above = emptyRuns(width)
  let runs = emptyRuns(width)
  for (let y = 0; y < height; y++) {
    findRuns(ink, y * width, width, runs)
    connect(pieces, runs, above, y)
    ;[above, runs] = [runs, above]
    if (pieces.parent.length * grainPixels > ink.length) return []
  }
  mergePieces(pieces)
  const spots: Spot[] = []
  const largest = Math.max(width, height) / 14
  for (let piece = 0; piece < pieces.parent.length; piece++) {
    if (pieces.parent[piece] !== piece || (pieces.count[piece] ?? 0) < 10) continue
    const left = pieces.left[piece] ?? 0
    const top = pieces.top[piece] ?? 0
    const wide = (pieces.right[piece] ?? 0) - left
    const high = (pieces.low[piece] ?? 0) - top
    const side = Math.max(wide, high)
    if (side >= 6 && side <= largest) spots.push({ x: left + wide / 2, y: top + high / 2, width: wide, height: high })
    if (spots.length > maxSpots) return []
  }
  return spots
}

/**
 * How to find ink: by how much it is darker than the mean of a window (its half in pixels), or, with `darker` null,
 * halfway between the ink and the paper of blocks of that many pixels; and on the picture at half its size or not.
 */
export interface Threshold {
  readonly window: number
  readonly darker: number | null
  readonly halved: boolean
}

/** The spots of a picture that could be characters, in its pixels; none where there are too many for a document. */
export function findSpots(grey: GreyImage, { window, darker, halved }: Threshold): Spot[] {
  const picture = halved ? halveGrey(grey) : grey
  const ink = darker === null ? findInkByBlocks(picture, window) : findInkByMean(picture, window, darker)
  const spots = toSpots(ink, picture.width, picture.height)
  releaseBuffer(ink)
  if (!halved) return spots
  return spots.map(({ x, y, width, height }) => ({ x: x * 2, y: y * 2, width: width * 2, height: height * 2 }))
}

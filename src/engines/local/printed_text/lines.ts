import type { GreyImage } from '../../images/document_picture.ts'

/** A straight edge that runs down a picture: at `x = offset + slope * (y - origin)`. Pixels. */
export interface Line {
  readonly offset: number
  readonly slope: number
  readonly origin: number
  /** How many rows show the edge, up to each: one more than there are rows. */
  readonly shown: Uint16Array
}

/** How far from upright lines are searched: a card's sides lean as far as the card is tilted. */
const maxSlope = 0.5
const slopeStep = 0.01
const slopes = Math.round((2 * maxSlope) / slopeStep) + 1
/** The accuracy of an edge's slope as given by a pixel's gradient. */
const slopeReach = 0.14
/** The least change of brightness from one pixel to the next: anything flatter is paper or a table. */
const minStep = 2.5
/** Of lines nearer to each other than this only one is kept. */
const minSeparation = { offset: 3, slope: 0.06 } as const
/** How far an edge may be from its line, in pixels: sheets bow. */
const maxEdgeDistance = 2

/** Whether it is lighter or darker to the right of an edge. Print has edges of both signs, a card's side has one. */
type Sign = 1 | -1

/** Pixels that are edges, by their sign, 0 for none; and how these lean. */
interface Edges {
  readonly sign: Int8Array
  readonly slope: Float32Array
  readonly width: number
  readonly height: number
}

/** Each pixel the mean of nine. */
function softenPicture({ data, width, height }: GreyImage): Float32Array {
  const across = new Float32Array(data.length)
  for (let at = 1; at < data.length - 1; at++) {
    across[at] = (data[at - 1] ?? 0) + (data[at] ?? 0) + (data[at + 1] ?? 0)
  }
  const soft = new Float32Array(data.length)
  for (let at = width; at < width * (height - 1); at++) {
    soft[at] = ((across[at - width] ?? 0) + (across[at] ?? 0) + (across[at + width] ?? 0)) / 9
  }
  return soft
}

/** Crests of the gradient across the picture, one pixel wide (Canny 1986). */
function findEdges(picture: GreyImage): Edges {
  const { width, height } = picture
  const soft = softenPicture(picture)
  const step = (at: number): number => (soft[at + 1] ?? 0) - (soft[at - 1] ?? 0)
  const edges = { sign: new Int8Array(soft.length), slope: new Float32Array(soft.length), width, height }
  for (let y = 2; y < height - 2; y++) {
    for (let at = y * width + 3; at < (y + 1) * width - 3; at++) {
      const across = step(at)
      const steep = Math.abs(across)
      if (steep < 2 * minStep || steep < Math.abs(step(at - 1)) || steep <= Math.abs(step(at + 1))) continue
      const slope = ((soft[at - width] ?? 0) - (soft[at + width] ?? 0)) / across
      if (Math.abs(slope) > maxSlope + slopeReach) continue
      edges.sign[at] = across > 0 ? 1 : -1
      edges.slope[at] = slope
    }
  }
  return edges
}

/** Each edge's votes for the lines that it may be part of (Duda and Hart 1972), by slope and offset. */
function countVotes({ sign, slope, width }: Edges, wanted: Sign, origin: number): Uint16Array {
  const votes = new Uint16Array(width * slopes)
  for (let at = 0; at < sign.length; at++) {
    if (sign[at] !== wanted) continue
    const down = Math.floor(at / width) - origin
    const own = ((slope[at] ?? 0) + maxSlope) / slopeStep
    const last = Math.min(slopes - 1, own + slopeReach / slopeStep)
    for (let bin = Math.max(0, Math.ceil(own - slopeReach / slopeStep)); bin <= last; bin++) {
      const offset = Math.round((at % width) - (bin * slopeStep - maxSlope) * down)
      if (offset >= 0 && offset < width) votes[bin * width + offset] = (votes[bin * width + offset] ?? 0) + 1
    }
  }
  return votes
}

/** A line that enough edges voted for. */
interface Candidate extends Omit<Line, 'shown' | 'origin'> {
  readonly sign: Sign
  readonly votes: number
}

function listCandidates(edges: Edges, sign: Sign, { origin, minVotes }: Search): Candidate[] {
  const { width } = edges
  const found: Candidate[] = []
  for (const [cell, votes] of countVotes(edges, sign, origin).entries()) {
    if (votes < minVotes) continue
    found.push({ offset: cell % width, slope: Math.floor(cell / width) * slopeStep - maxSlope, sign, votes })
  }
  return found
}

function isSameLine(one: Candidate, other: Candidate): boolean {
  return (
    one.sign === other.sign &&
    Math.abs(one.offset - other.offset) < minSeparation.offset &&
    Math.abs(one.slope - other.slope) < minSeparation.slope
  )
}

function measureShown({ offset, slope, sign: wanted }: Candidate, edges: Edges, origin: number): Line {
  const { sign, slope: slopeAt, width, height } = edges
  const shown = new Uint16Array(height + 1)
  for (let y = 0; y < height; y++) {
    const x = Math.round(offset + slope * (y - origin))
    let isShown = 0
    for (
      let at = y * width + Math.max(0, x - maxEdgeDistance);
      at <= y * width + Math.min(width - 1, x + maxEdgeDistance);
      at++
    ) {
      if (sign[at] === wanted && Math.abs((slopeAt[at] ?? 0) - slope) <= 1.5 * slopeReach) isShown = 1
    }
    shown[y + 1] = (shown[y] ?? 0) + isShown
  }
  return { offset, slope, origin, shown }
}

/** Which lines are wanted. */
export interface Search {
  /** The row in which a line is at its offset. */
  readonly origin: number
  /** How many edges a line must have at least, in pixels of its length. */
  readonly minVotes: number
  /** How many lines of each range are wanted at most. */
  readonly most: number
}

/** The longest straight edges that run down a picture, for each range of offsets; the longest first. */
export function findLines(
  picture: GreyImage,
  search: Search,
  ranges: readonly (readonly [from: number, to: number])[],
): Line[][] {
  const edges = findEdges(picture)
  const found = ([1, -1] as const)
    .flatMap(sign => listCandidates(edges, sign, search))
    .sort((one, other) => other.votes - one.votes)
  return ranges.map(([from, to]) => {
    const chosen: Candidate[] = []
    for (const one of found) {
      if (chosen.length === search.most) break
      if (one.offset >= from && one.offset <= to && !chosen.some(other => isSameLine(one, other))) chosen.push(one)
    }
    return chosen.map(one => measureShown(one, edges, search.origin))
  })
}

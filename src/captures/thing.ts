/** A small picture: RGB, rows from the top. */
export interface Coarse {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** Something that lies on a plain ground, such as a document on a table. */
export interface Thing {
  /** The longer side of the upright box around it, as a share of the picture's longer side. */
  readonly length: number
  /** The largest share of one of the picture's borders that it covers, 0 to 1. */
  readonly border: number
  /** 1 for each pixel that is part of it. */
  readonly mask: Uint8Array
}

/** A pixel, its place counted from the picture's middle in shares of its size. */
interface Place {
  readonly index: number
  readonly x: number
  readonly y: number
}

/** The outermost two rows and columns. */
const borderOf = ({ width, height }: Coarse): Place[] => {
  const places: Place[] = []
  for (let index = 0; index < width * height; index++) {
    const [column, row] = [index % width, Math.floor(index / width)]
    if (column < 2 || row < 2 || column >= width - 2 || row >= height - 2)
      places.push({ index, x: (column + 0.5) / width - 0.5, y: (row + 0.5) / height - 0.5 })
  }
  return places
}

/** A channel's value in the picture's middle, and its slopes: a ground may be lit from one side. */
type Plane = readonly [middle: number, across: number, down: number]

/** Least squares of a plane through some pixels of one channel. */
const planeThrough = ({ data }: Coarse, channel: number, places: readonly Place[]): Plane => {
  const mean = (of: (place: Place) => number): number =>
    places.reduce((sum, place) => sum + of(place), 0) / places.length
  const value = ({ index }: Place): number => data[index * 3 + channel] ?? 0
  const [mx, my, mv] = [mean(({ x }) => x), mean(({ y }) => y), mean(value)]
  const xx = mean(({ x }) => (x - mx) ** 2)
  const yy = mean(({ y }) => (y - my) ** 2)
  const xy = mean(({ x, y }) => (x - mx) * (y - my))
  const xv = mean(place => (place.x - mx) * value(place))
  const yv = mean(place => (place.y - my) * value(place))
  const determinant = xx * yy - xy * xy
  if (!(determinant > 1e-6)) return [mv, 0, 0]
  const [across, down] = [(xv * yy - yv * xy) / determinant, (yv * xx - xv * xy) / determinant]
  return [mv - across * mx - down * my, across, down]
}

/** Colours this near to each other, of 441 that are possible, are the same ground. */
const near = 26
/** Where less of the border than this is one ground, there is none to be told: a loud pattern, or the thing itself. */
const least_ground = 0.5

const channels = [0, 1, 2] as const

/** The squared distance of a pixel's colour from the ground's at its place. */
const squaredDistance = ({ data }: Coarse, planes: readonly Plane[], { index, x, y }: Place): number => {
  let sum = 0
  for (let channel = 0; channel < 3; channel++) {
    const plane = planes[channel]
    if (plane === undefined) continue
    sum += ((data[index * 3 + channel] ?? 0) - plane[0] - plane[1] * x - plane[2] * y) ** 2
  }
  return sum
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

/** 1 for each pixel that is not of the ground that the border shows; null where the border shows no one ground. */
const notGround = (picture: Coarse): Uint8Array | null => {
  const { data, width, height } = picture
  const border = borderOf(picture)
  let planes: readonly Plane[] = channels.map(c => [median(border.map(({ index }) => data[index * 3 + c] ?? 0)), 0, 0])
  for (const reach of [90, 60, 40, near]) {
    const ground = border.filter(place => squaredDistance(picture, planes, place) < reach ** 2)
    if (ground.length < border.length * least_ground) return null
    planes = channels.map(channel => planeThrough(picture, channel, ground))
  }
  const found = new Uint8Array(width * height)
  const place = { index: 0, x: 0, y: 0 }
  for (let row = 0; row < height; row++) {
    place.y = (row + 0.5) / height - 0.5
    for (let column = 0; column < width; column++, place.index++) {
      place.x = (column + 0.5) / width - 0.5
      if (squaredDistance(picture, planes, place) >= near ** 2) found[place.index] = 1
    }
  }
  return found
}

/** The largest connected part of what is not ground, as indices. */
const largestPart = (found: Uint8Array, width: number): readonly number[] => {
  const left = Uint8Array.from(found)
  let largest: readonly number[] = []
  for (let start = 0; start < left.length; start++) {
    if (left[start] === 0) continue
    const part = [start]
    left[start] = 0
    for (const here of part) {
      const column = here % width
      const beside = [here - width, here + width, column > 0 ? here - 1 : -1, column < width - 1 ? here + 1 : -1]
      for (const other of beside) {
        if (left[other] !== 1) continue
        left[other] = 0
        part.push(other)
      }
    }
    if (part.length > largest.length) largest = part
  }
  return largest
}

/** What lies on the ground; null where the ground is too loud to tell, or nothing lies there. */
export const findThing = (picture: Coarse): Thing | null => {
  const { width, height } = picture
  const found = notGround(picture)
  const part = found === null ? [] : largestPart(found, width)
  if (part.length === 0) return null
  const mask = new Uint8Array(width * height)
  let [left, right, top, bottom] = [width, 0, height, 0]
  const covered = [0, 0, 0, 0]
  for (const index of part) {
    mask[index] = 1
    const [x, y] = [index % width, Math.floor(index / width)]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
    if (x === 0) covered[0] = (covered[0] ?? 0) + 1 / height
    if (x === width - 1) covered[1] = (covered[1] ?? 0) + 1 / height
    if (y === 0) covered[2] = (covered[2] ?? 0) + 1 / width
    if (y === height - 1) covered[3] = (covered[3] ?? 0) + 1 / width
  }
  const length = (Math.max(right - left, bottom - top) + 1) / Math.max(width, height)
  return { length, border: Math.max(...covered), mask }
}

import type { Person } from './portrait_person.ts'

/** The pose of the head when the picture is taken; at 0 everything is at rest. */
export interface Pose {
  /** Turn towards the person's own right (-1) or left (1), 45 degrees at the ends. */
  readonly turn?: number
  /** Look down (-1) or up (1), 30 degrees at the ends. */
  readonly lookUp?: number
  /** Tilt to a shoulder, -1 to 1, 30 degrees at the ends. */
  readonly tilt?: number
  /** Closing of the eyes, 0 to 1. */
  readonly blink?: number
  /** Opening of the mouth, 0 to 1. */
  readonly mouthOpen?: number
}

/** A grid of points: `rest` is a point's place on the head itself, `at` its place in front of the camera. */
export interface Surface {
  readonly columns: number
  readonly rows: number
  readonly rest: Float32Array
  readonly at: Float32Array
}

type Vector = readonly [x: number, y: number, z: number]

/** Returns 0 below `low`, 1 above `high`, smooth between them; `low` may be the larger. */
export function smooth(low: number, high: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - low) / (high - low)))
  return t * t * (3 - 2 * t)
}

/** Returns a bell of height 1 and half width `width` around `middle`. */
export function bell(value: number, middle: number, width: number): number {
  const t = (value - middle) / width
  // The bell is less than 1e-15 from there on, and most features are far from most points.
  return t > 6 || t < -6 ? 0 : Math.exp(-t * t)
}

/** Returns the height of the mouth's line, in the head's own coordinates. */
export function mouthLine(who: Person): number {
  return who.noseLength + who.mouthHeight
}

function chinLine(who: Person): number {
  return mouthLine(who) + 0.56
}

/** Returns the height of the features above the plain head, towards the viewer. */
function relief(who: Person, x: number, y: number): number {
  const side = Math.abs(x)
  const mouth = mouthLine(who)
  const tip = who.noseLength * 0.86
  const rising = who.noseBridge + (who.noseDepth - who.noseBridge) * smooth(-0.1, tip, y)
  const ridge = rising * smooth(-0.3, 0, y) * smooth(who.noseLength + 0.07, tip + 0.01, y)
  const width = who.noseWidth * (0.55 + 0.45 * smooth(0, tip, y))
  const eye = bell(side, who.eyeDistance, 0.2) * bell(y, 0, 0.14)
  return (
    ridge * bell(x, 0, width) +
    0.14 * bell(side, who.noseWidth * 1.05, 0.07) * bell(y, who.noseLength * 0.92, 0.08) -
    0.13 * eye +
    0.07 * bell(side, who.eyeDistance, 0.12) * bell(y, 0, 0.08) +
    0.06 * bell(y, -who.browHeight, 0.1) * smooth(0.85, 0.5, side) +
    0.1 * bell(x, 0, who.mouthWidth) * bell(y, mouth, 0.13) -
    0.05 * bell(x, 0, who.mouthWidth) * bell(y, mouth, 0.022) +
    (0.06 + who.chin) * bell(x, 0, 0.3) * bell(y, chinLine(who) - 0.1, 0.17) +
    who.cheeks * bell(side, 0.55, 0.25) * bell(y, 0.42, 0.25)
  )
}

/**
 * Returns a point of the head's own surface: a full ring at each height, narrowed to the jaw, with the features on its
 * front.
 */
function headPoint(who: Person, longitude: number, height: number): Vector {
  const bottom = chinLine(who)
  const middle = (bottom - who.headHeight) / 2
  const half = (bottom + who.headHeight) / 2
  // The crown is rounder than the chin's end.
  const bulge = height < 0 ? 2.4 : 3
  const ring = (1 - Math.abs(height) ** bulge) ** (1 / bulge)
  const y = middle + half * height
  const narrow = 1 - who.jaw * smooth(0.25, bottom, y)
  const front = Math.cos(longitude)
  const x = ring * Math.sin(longitude) * narrow
  const depth = front > 0 ? 1.12 * front ** 0.82 : -1.3 * (-front) ** 0.9
  const z = ring ** 0.8 * depth
  return [x, y, z + relief(who, x, y) * smooth(0.15, 0.6, z)]
}

/** Drops the lower jaw as the mouth opens; the lips' corners stay. */
function dropJaw(who: Person, [x, y, z]: Vector, open: number): Vector {
  const mouth = mouthLine(who)
  const lips = Math.sqrt(Math.max(0, 1 - (x / who.mouthWidth) ** 2))
  const share = lips + (1 - lips) * smooth(mouth + 0.05, mouth + 0.4, y)
  const drop = open * 0.42 * share * smooth(mouth, mouth + 0.05, y) * smooth(-0.4, 0.3, z)
  return [x, y + drop, z - drop * 0.25]
}

const degrees = Math.PI / 180

/** Turns a point of the head about the neck. */
function hold([x, y, z]: Vector, pose: Pose): Vector {
  const yaw = (pose.turn ?? 0) * 45 * degrees
  const pitch = (pose.lookUp ?? 0) * 30 * degrees
  const roll = (pose.tilt ?? 0) * 30 * degrees
  const px = x
  const py = y - 0.9
  const pz = z + 0.3
  const y1 = py * Math.cos(pitch) - pz * Math.sin(pitch)
  const z1 = py * Math.sin(pitch) + pz * Math.cos(pitch)
  const x2 = px * Math.cos(yaw) + z1 * Math.sin(yaw)
  const z2 = z1 * Math.cos(yaw) - px * Math.sin(yaw)
  const x3 = x2 * Math.cos(roll) - y1 * Math.sin(roll)
  const y3 = x2 * Math.sin(roll) + y1 * Math.cos(roll)
  return [x3, y3 + 0.9, z2 - 0.3]
}

function build(
  { columns, rows }: { readonly columns: number; readonly rows: number },
  point: (column: number, row: number) => { readonly rest: Vector; readonly at: Vector },
): Surface {
  const rest = new Float32Array(columns * rows * 3)
  const at = new Float32Array(columns * rows * 3)
  for (let i = 0; i < columns * rows; i++) {
    const found = point((i % columns) / (columns - 1), Math.floor(i / columns) / (rows - 1))
    rest.set(found.rest, i * 3)
    at.set(found.at, i * 3)
  }
  return { columns, rows, rest, at }
}

/** Returns the longitude of a column: three quarters of the columns lie on the front half, which has the features. */
function longitudeAt(column: number): number {
  const t = 2 * column - 1
  return Math.PI * (0.62 * t + 0.38 * t ** 3)
}

/** Returns the head with its face. */
export function headSurface(who: Person, pose: Pose): Surface {
  return build({ columns: 260, rows: 260 }, (column, row) => {
    const rest = headPoint(who, longitudeAt(column), Math.sin((row - 0.5) * Math.PI))
    return { rest, at: hold(dropJaw(who, rest, pose.mouthOpen ?? 0), pose) }
  })
}

/** Returns the hair's shell, a little outside of the head; the paint decides which part of it is hair. */
export function hairSurface(who: Person, pose: Pose): Surface {
  const thickness = { bald: 1.005, short: 1.05, full: 1.11, long: 1.12 }[who.hair]
  return build({ columns: 140, rows: 120 }, (column, row) => {
    const plain = headPoint({ ...who, jaw: 0 }, longitudeAt(column), Math.sin((row - 0.5) * Math.PI))
    const rest: Vector = [plain[0] * Math.min(thickness, 1.03), plain[1] * thickness, plain[2] * thickness]
    return { rest, at: hold(rest, pose) }
  })
}

function ball(centre: Vector, radius: Vector, pose: Pose): Surface {
  return build({ columns: 40, rows: 40 }, (column, row) => {
    const longitude = column * 2 * Math.PI
    const latitude = (row - 0.5) * Math.PI
    const rest: Vector = [
      centre[0] + radius[0] * Math.cos(latitude) * Math.sin(longitude),
      centre[1] + radius[1] * Math.sin(latitude),
      centre[2] + radius[2] * Math.cos(latitude) * Math.cos(longitude),
    ]
    return { rest, at: hold(rest, pose) }
  })
}

/** Returns the two ears. */
export function earSurfaces(pose: Pose): readonly Surface[] {
  return [ball([-1.0, 0.25, -0.15], [0.13, 0.3, 0.2], pose), ball([1.0, 0.25, -0.15], [0.13, 0.3, 0.2], pose)]
}

/** Returns long hair that falls behind the neck. */
export function fallingHair(pose: Pose): Surface {
  return ball([0, 0.7, -0.75], [1.25, 1.65, 0.62], pose)
}

/** Returns the neck and the shoulders, which stay in place when the head turns. */
export function bodySurfaces(): { readonly neck: Surface; readonly shoulders: Surface } {
  return {
    neck: ball([0, 1.6, -0.35], [0.62, 1.5, 0.6], {}),
    shoulders: ball([0, 3.35, -0.45], [2.3, 1.25, 0.95], {}),
  }
}

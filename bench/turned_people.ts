/**
 * How many honest people `relighting` and `surroundings` leave open: `node bench/turned_people.ts FOLDER [DRAWS [YAW [PHOTOS]]]`, with
 * people who turned their heads in one sitting (`bench/pictures/collect.ts --only turned_faces`). So many draws a person, each
 * of a selfie, both turns by YAW and more (by default what a challenge wants) and two other pictures. By half: what sets a limit
 * is chosen on the calibration half. With PHOTOS, another such folder, one draw of each person also wears the face of a photo
 * (`synthetic/face_swap.ts`): whether `relighting` finds it, and what its seams show.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { written } from '../src/cli/intervals.ts'
import type { Measured } from '../src/decision/findings.ts'
import { decodeImage } from '../src/engines/images/decode_image.ts'
import { type ComparedFace, readFace } from '../src/engines/local/face/read_face.ts'
import { measureRelighting } from '../src/engines/local/face/relighting.ts'
import { measureSurroundings } from '../src/engines/local/face/surroundings.ts'
import { livenessThreshold } from '../src/engines/local/face/thresholds.ts'
import { loadModels } from '../src/engines/local/models.ts'
import { type MeshedFace, swapFace } from '../synthetic/face_swap.ts'
import { type Random, seeded } from '../synthetic/random.ts'
import { measureOutline } from '../synthetic/rendered_face.ts'
import { findFaceMesh } from '../test/engines/face_mesh.ts'
import { encode, readPeople, readPicture, side } from './rendered_attack.ts'

const [folder = '.', draws = '30', turned = String(livenessThreshold.yaw), photos] = process.argv.slice(2)
const models = await loadModels()

/** From which yaw on a picture is a turn, and up to which one a selfie. */
const yaws = { turned: Number(turned), straight: 0.25 } as const

/** A portable grey map (netpbm's), as bytes or as numbers, which sharp does not read. */
function readGreyMap(file: Buffer): Promise<Buffer> {
  const header = /^P[25]\s+(\d+)\s+(\d+)\s+(\d+)\s/.exec(file.subarray(0, 40).toString('latin1'))
  if (!header) return Promise.resolve(file)
  const body = file.subarray(header[0].length)
  const values = file[1] === 0x32 ? body.toString('latin1').trim().split(/\s+/).map(Number) : body
  const data = Uint8Array.from(values, value => (value * 255) / Number(header[3]))
  return sharp(data, { raw: { width: Number(header[1]), height: Number(header[2]), channels: 1 } })
    .png()
    .toBuffer()
}

/** A person's picture, and what is seen in it. */
interface Shot {
  readonly image: Buffer
  readonly face: ComparedFace
}

type Draw = Readonly<Record<'relighting' | 'surroundings', Measured | null>>

/** A selfie, both turns and two other pictures, or fewer others; null where a turn or the selfie is missing. */
function drawShots(pictures: readonly Shot[], random: Random): readonly Shot[] | null {
  const left = [...pictures]
  const take = (isWanted: (yaw: number) => boolean): Shot | null => {
    const wanted = left.filter(({ face }) => isWanted(face.expression.yaw))
    const taken = wanted[Math.floor(random.between(0, wanted.length))]
    if (taken) left.splice(left.indexOf(taken), 1)
    return taken ?? null
  }
  const selfie = take(yaw => Math.abs(yaw) < yaws.straight)
  const turns = [take(yaw => yaw > yaws.turned), take(yaw => yaw < -yaws.turned)].filter(turn => turn !== null)
  const others = [0, 1].map(() => take(yaw => Math.abs(yaw) < yaws.turned)).filter(other => other !== null)
  return selfie && turns.length === 2 ? [selfie, ...turns, ...others] : null
}

function measureDraw([selfie, ...frames]: readonly ComparedFace[]): Draw {
  return {
    relighting: measureRelighting(selfie ?? null, frames),
    surroundings: measureSurroundings(
      selfie?.scene ?? null,
      frames.slice(0, 2).map(({ scene }) => scene),
    ),
  }
}

async function meshFace(image: Buffer): Promise<MeshedFace | null> {
  const face = await readFace(models, image)
  if (!face) return null
  const photo = await decodeImage(image, side)
  return { photo, mesh: await findFaceMesh(models, photo, face.face.landmarks) }
}

/** What a swap may show: natural logarithms of quotients. */
interface Seams {
  /** Fine noise inside the face, over that around jaw and neck. */
  readonly 'noise against jaw and neck': number
  /** Fine noise where the swap fades out, over that inside. */
  readonly 'noise of the edge against the inside': number
  /** Brightness inside, over that around jaw and neck. */
  readonly 'brightness against jaw and neck': number
}

/** Reads what is inside the outline, along it, and around jaw and neck. */
function measureSeams({ photo: { data, width, height }, mesh }: MeshedFace): Seams {
  const { middle, radius } = measureOutline(mesh)
  const zones = { inside: [0.4, 0.8, -1], edge: [0.85, 1, -1], around: [1.05, 1.3, 0.3] } as const
  const sums = { inside: [0, 0, 0], edge: [0, 0, 0], around: [0, 0, 0] } as Record<keyof typeof zones, number[]>
  const read = (x: number, y: number): number => data[3 * (y * width + x) + 1] ?? 0
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const [dx, dy] = [x - middle[0], y - middle[1]]
      const far = Math.hypot(dx, dy)
      const share = far / radius(Math.atan2(dy, dx))
      for (const [zone, [least, most, down]] of Object.entries(zones) as [keyof typeof zones, readonly number[]][]) {
        if (share < (least ?? 0) || share > (most ?? 0) || dy < (down ?? 0) * far) continue
        const sum = sums[zone]
        sum[0] = (sum[0] ?? 0) + 1
        sum[1] = (sum[1] ?? 0) + read(x, y)
        sum[2] =
          (sum[2] ?? 0) + Math.abs(4 * read(x, y) - read(x - 1, y) - read(x + 1, y) - read(x, y - 1) - read(x, y + 1))
      }
    }
  }
  const mean = (zone: keyof typeof zones, what: 1 | 2): number => (sums[zone][what] ?? 0) / (sums[zone][0] || 1) || 1
  return {
    'noise against jaw and neck': Math.log(mean('inside', 2) / mean('around', 2)),
    'noise of the edge against the inside': Math.log(mean('edge', 2) / mean('inside', 2)),
    'brightness against jaw and neck': Math.log(mean('inside', 1) / mean('around', 1)),
  }
}

/** The photos whose faces are worn, one a person. */
async function listWorn(from: string): Promise<readonly MeshedFace[]> {
  const found: MeshedFace[] = []
  for (const [, files] of readPeople(from)) {
    if (found.length >= 40) break
    const [first] = files
    const face = first && (await meshFace(await readPicture(from, first)))
    if (face) found.push(face)
  }
  return found
}

const worn = photos === undefined ? [] : await listWorn(photos)
const swaps: {
  readonly found: boolean | null
  readonly plain: readonly Seams[]
  readonly swapped: readonly Seams[]
}[] = []

/** One draw of a person, who wears the face of the next photo. */
async function wear(shots: readonly Shot[]): Promise<void> {
  const mask = worn[swaps.length % worn.length]
  if (!mask) return
  const faces: ComparedFace[] = []
  const [plain, swapped]: [Seams[], Seams[]] = [[], []]
  for (const { image } of shots) {
    const wearer = await meshFace(image)
    if (!wearer) continue
    const picture = await encode(await swapFace(mask, wearer, { blinks: false, opensMouth: false }))
    const [face, meshed] = [await readFace(models, picture, 'OPEN_MOUTH'), await meshFace(picture)]
    plain.push(measureSeams(wearer))
    if (face) faces.push(face)
    if (meshed) swapped.push(measureSeams(meshed))
  }
  const { relighting } = measureDraw(faces)
  swaps.push({ found: relighting && isLost.relighting(relighting), plain, swapped })
}

const isLost = {
  relighting: ({ score, threshold }: Measured) => score < threshold,
  surroundings: ({ score, threshold }: Measured) => score > threshold,
}
const rows = new Map<string, { people: Set<string>; draws: Draw[] }>()
for (const [person, files] of readPeople(folder)) {
  const pictures: Shot[] = []
  for (const { file } of files) {
    const image = await readGreyMap(readFileSync(join(folder, file)))
    const face = await readFace(models, image, 'OPEN_MOUTH')
    if (face) pictures.push({ image, face })
  }
  const random = seeded(17)
  const sets = Array.from({ length: Number(draws) }, () => drawShots(pictures, random)).filter(shots => shots !== null)
  const drawn = sets.map(shots => measureDraw(shots.map(({ face }) => face)))
  const [first] = sets
  if (!first) continue
  await wear(first)
  const name = `${files[0]?.split} | ${person.split('-')[0]}`
  const row = rows.get(name) ?? { people: new Set(), draws: [] }
  row.people.add(person)
  row.draws.push(...drawn)
  rows.set(name, row)
}

console.log(
  '| Half | Set | People | relighting: lost | surroundings: lost | most | either |\n| - | - | - | - | - | - | - |',
)
for (const [name, { people, draws: all }] of [...rows].sort()) {
  const lost = (check: keyof Draw): string => {
    const measured = all.flatMap(draw => draw[check] ?? [])
    return written(measured.filter(isLost[check]).length, measured.length)
  }
  const either = all.filter(draw =>
    (['relighting', 'surroundings'] as const).some(check => draw[check] && isLost[check](draw[check])),
  )
  const most = Math.max(...all.map(draw => draw.surroundings?.score ?? -1))
  const cells = [
    people.size,
    lost('relighting'),
    lost('surroundings'),
    most.toFixed(2),
    written(either.length, all.length),
  ]
  console.log(`| ${name} | ${cells.join(' | ')} |`)
}

if (swaps.length > 0) {
  const measured = swaps.filter(({ found }) => found !== null)
  console.log(
    `\nFaces of photos, worn: relighting finds ${written(measured.filter(({ found }) => found).length, measured.length)}\n`,
  )
  console.log('| Seams | | n | lower quarter | median | upper quarter |\n| - | - | - | - | - | - |')
  for (const sign of [
    'noise against jaw and neck',
    'noise of the edge against the inside',
    'brightness against jaw and neck',
  ] as const)
    for (const who of ['plain', 'swapped'] as const) {
      const values = swaps.flatMap(swap => swap[who].map(seams => seams[sign])).sort((one, other) => one - other)
      const cells = [0.25, 0.5, 0.75].map(share => values[Math.floor(share * values.length)]?.toFixed(2))
      console.log(`| ${sign} | ${who} | ${values.length} | ${cells.join(' | ')} |`)
    }
}

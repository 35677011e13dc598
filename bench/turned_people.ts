/**
 * How many honest people `relighting` and `surroundings` leave open: `node bench/turned_people.ts FOLDER [DRAWS [YAW]]`, with
 * people who turned their heads in one sitting (`bench/pictures/collect.ts --only turned_faces`). So many draws a person, each
 * of a selfie, both turns by YAW and more (by default what a challenge wants) and two other pictures. By half: what sets a limit is chosen on the calibration half.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { written } from '../src/cli/intervals.ts'
import type { Measured } from '../src/decision/findings.ts'
import { type ComparedFace, readFace } from '../src/engines/local/face/read_face.ts'
import { measureRelighting } from '../src/engines/local/face/relighting.ts'
import { measureSurroundings } from '../src/engines/local/face/surroundings.ts'
import { livenessThreshold } from '../src/engines/local/face/thresholds.ts'
import { loadModels } from '../src/engines/local/models.ts'
import { type Random, seeded } from '../synthetic/random.ts'
import { readPeople } from './rendered_attack.ts'

const [folder = '.', draws = '30', turned = String(livenessThreshold.yaw)] = process.argv.slice(2)
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

type Draw = Readonly<Record<'relighting' | 'surroundings', Measured | null>>

function drawOnce(pictures: readonly ComparedFace[], random: Random): Draw | null {
  const left = [...pictures]
  const take = (isWanted: (yaw: number) => boolean): ComparedFace | null => {
    const wanted = left.filter(({ expression }) => isWanted(expression.yaw))
    const taken = wanted[Math.floor(random.between(0, wanted.length))]
    if (taken) left.splice(left.indexOf(taken), 1)
    return taken ?? null
  }
  const selfie = take(yaw => Math.abs(yaw) < yaws.straight)
  const turns = [take(yaw => yaw > yaws.turned), take(yaw => yaw < -yaws.turned)].filter(turn => turn !== null)
  const others = [0, 1].map(() => take(yaw => Math.abs(yaw) < yaws.turned)).filter(other => other !== null)
  if (!selfie || turns.length < 2) return null
  return {
    relighting: measureRelighting(selfie, [...turns, ...others]),
    surroundings: measureSurroundings(
      selfie.scene,
      turns.map(({ scene }) => scene),
    ),
  }
}

const isLost = {
  relighting: ({ score, threshold }: Measured) => score < threshold,
  surroundings: ({ score, threshold }: Measured) => score > threshold,
}
const rows = new Map<string, { people: Set<string>; draws: Draw[] }>()
for (const [person, files] of readPeople(folder)) {
  const pictures: ComparedFace[] = []
  for (const { file } of files) {
    const face = await readFace(models, await readGreyMap(readFileSync(join(folder, file))), 'OPEN_MOUTH')
    if (face) pictures.push(face)
  }
  const random = seeded(17)
  const drawn = Array.from({ length: Number(draws) }, () => drawOnce(pictures, random)).filter(draw => draw !== null)
  if (drawn.length === 0) continue
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

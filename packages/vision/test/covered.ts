import sharp from 'sharp'
import { findFaces } from '../face/faces.ts'
import type { Point } from '../geometry/pixels.ts'
import { decodeImage } from '../images/decode_image.ts'
import { loadModels } from '../models.ts'
import { type Random, seeded } from '../synthetic/random.ts'

/** The things that may cover a face. */
export const covers = ['mask', 'skin_mask', 'scarf', 'hand', 'dark_glasses', 'mirror_glasses', 'sky_glasses'] as const

/** One of `covers`, or glasses that show the eyes behind a blue sheen. */
export type Cover = (typeof covers)[number] | 'clear_glasses'

/** A face to be covered: its landmarks, its eyes' distance, chance, and the colour of its forehead. */
interface Wearer {
  readonly at: (landmark: number) => Point
  readonly unit: number
  readonly random: Random
  readonly skin: readonly number[]
}

function one(random: Random, colours: readonly string[]): string {
  return colours[random.below(colours.length)] ?? '#888'
}

/** Returns the skin's colour, somewhat lighter or darker. */
function skinColour({ random, skin }: Wearer): string {
  const light = random.between(0.85, 1.08)
  return `rgb(${skin.map(value => Math.min(255, Math.round(value * light))).join()})`
}

/** Draws a mask from the nose's bridge over the cheeks to the chin, with folds. */
function maskOf({ at, unit }: Wearer, colour: string): string {
  const outline = [234, 227, 50, 197, 280, 447, 454, 361, 397, 365, 377, 152, 148, 136, 172, 132].map(at)
  const fold = (share: number): string => {
    const y = at(1)[1] + (at(152)[1] - at(1)[1]) * share
    return `<path d="M${at(132)[0]} ${y}Q${at(1)[0]} ${y + unit / 10} ${at(361)[0]} ${y}" stroke="#0003" fill="none" stroke-width="${unit / 50}"/>`
  }
  return `<polygon points="${outline.join(' ')}" fill="${colour}"/>${[0.3, 0.55, 0.8].map(fold).join('')}`
}

/** Draws two lenses and a bridge. `paint` fills the lenses; a definition may stand before them. */
function glassesOf(
  { at, unit, random }: Wearer,
  paint: string,
  colour: string,
  opacity = random.between(0.9, 1),
): string {
  const lens = (outer: number, inner: number): string => {
    const x = (at(outer)[0] + at(inner)[0]) / 2
    const y = (at(outer)[1] + at(inner)[1]) / 2 + unit * 0.05
    return `<ellipse cx="${x}" cy="${y}" rx="${unit * random.between(0.25, 0.3)}" ry="${unit * random.between(0.19, 0.26)}" fill="${paint}" stroke="${colour}" stroke-width="${unit * 0.02}" fill-opacity="${opacity}"/>`
  }
  const bridge = `<path d="M${at(133).join(' ')}L${at(362).join(' ')}" stroke="${colour}" stroke-width="${unit * 0.05}"/>`
  return lens(33, 133) + lens(362, 263) + bridge
}

const dark = ['#0c0c10', '#1c1a16', '#26202a', '#101820']

const drawings: Readonly<Record<Cover, (wearer: Wearer) => string>> = {
  mask: wearer =>
    maskOf(wearer, one(wearer.random, ['#bcd7e8', '#f2f2f0', '#1d1d20', '#9db8a0', '#d8c7b0', '#c89bb0', '#7d90b5'])),
  skin_mask: wearer => maskOf(wearer, skinColour(wearer)),
  scarf: ({ at, unit, random }) => {
    const left = at(234)[0] - unit * 0.3
    const right = at(454)[0] + unit * 0.3
    const top = at(164)[1] - unit * 0.05
    const colour = one(random, ['#7b2d2d', '#2d3e7b', '#555555', '#c9b48a'])
    const thread = (_: unknown, i: number): string =>
      `<path d="M${left} ${top + i * unit * 0.12}H${right}" stroke="#fff3" stroke-width="${unit * 0.03}"/>`
    const threads = Array.from({ length: 12 }, thread).join('')
    return `<rect x="${left}" y="${top}" width="${right - left}" height="${unit * 3}" fill="${colour}"/>${threads}`
  },
  hand: wearer => {
    const { at, unit } = wearer
    const colour = skinColour(wearer)
    const width = unit * 0.17
    const finger = (i: number): string =>
      `<rect x="${at(14)[0] - unit / 2}" y="${at(14)[1] + (i - 2) * width}" width="${unit * 1.6}" height="${width}" rx="${width / 2}" fill="${colour}" stroke="#0005" stroke-width="${unit / 80}"/>`
    return [0, 1, 2, 3].map(finger).join('')
  },
  dark_glasses: wearer => {
    const colour = one(wearer.random, dark)
    return glassesOf(wearer, colour, colour)
  },
  // A mirror shows the sky above and the street below, with a window in it.
  mirror_glasses: wearer => {
    const { random } = wearer
    const edge = random.between(0.35, 0.6)
    const sky = one(random, ['#dfe8ef', '#f4efe2', '#b9cede'])
    const street = one(random, dark)
    const way = `x1="0" y1="0" x2="${random.between(-0.4, 0.4)}" y2="1"`
    const stops = `<stop offset="0" stop-color="${sky}"/><stop offset="${edge}" stop-color="${sky}"/><stop offset="${edge + 0.1}" stop-color="${street}"/>`
    const gradient = `<defs><linearGradient id="mirror" ${way}>${stops}</linearGradient></defs>`
    return gradient + glassesOf(wearer, 'url(#mirror)', one(random, dark))
  },
  clear_glasses: wearer => glassesOf(wearer, '#5a78f0', '#222', 0.25),
  // A blue mirror is full of contrast, so that its colour alone gives it away.
  sky_glasses: wearer => {
    const tiles = '<rect width="9" height="9" fill="#4f86dc"/><rect width="4" height="9" fill="#9fc0f0"/>'
    const pattern = `<defs><pattern id="sky" width="9" height="9" patternUnits="userSpaceOnUse">${tiles}</pattern></defs>`
    return pattern + glassesOf(wearer, 'url(#sky)', '#9bb4cc')
  },
}

async function colourAt(image: Uint8Array, [x, y]: Point): Promise<readonly number[]> {
  const spot = { left: Math.round(x) - 6, top: Math.round(y) - 6, width: 12, height: 12 }
  const { channels } = await sharp(await sharp(image).removeAlpha().extract(spot).png().toBuffer()).stats()
  return channels.slice(0, 3).map(({ mean }) => mean)
}

/** Covers the face of a picture, as a JPEG. */
export async function covered(image: Uint8Array, cover: Cover, seed = 1): Promise<Buffer> {
  const pixels = await decodeImage(image, 4000)
  const [face] = await findFaces(await loadModels(), pixels)
  if (!face) throw new Error('there is no face to cover')
  const at = (landmark: number): Point => face.landmarks.points[landmark] ?? [0, 0]
  const unit = Math.hypot(at(33)[0] - at(263)[0], at(33)[1] - at(263)[1])
  const drawing = drawings[cover]({ at, unit, random: seeded(seed), skin: await colourAt(image, at(151)) })
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels.width}" height="${pixels.height}">${drawing}</svg>`
  const painted = await sharp(image)
    .composite([{ input: Buffer.from(svg) }])
    .removeAlpha()
    .png()
    .toBuffer()
  return sharp(painted).blur(0.6).jpeg({ quality: 85 }).toBuffer()
}

import sharp from 'sharp'
import { systemClock } from '../../../../src/base/clock.ts'
import { defaultLimits, startAnalysisPool } from '../../engine.ts'
import type { AnalysisRequest } from '../../port.ts'
import { readPeakMb } from '../drawn_request.ts'
import { requestOf } from '../request.ts'
import { takingOf } from './conditions.ts'
import { printDocument } from './documents.ts'
import { headOf, issuedPortrait, selfieOf } from './heads.ts'
import { photographSide } from './photo.ts'
import { type Chance, chance } from './random.ts'
import { zoneOutlines, zonePitch } from './zone_print.ts'

/** The cost of one picture to a child of the service's own pool. */
export interface LimitRow {
  readonly name: string
  /** CPU milliseconds by stage; empty if the child failed. */
  readonly cpu_ms: Readonly<Record<string, number>>
  readonly peak_mb: number
  readonly failure: string | null
}

const wide = 5660
const high = 4240

function raw(paint: (x: number, y: number) => number): Promise<Buffer> {
  const data = new Uint8Array(wide * high)
  for (let y = 0; y < high; y++) for (let x = 0; x < wide; x++) data[y * wide + x] = paint(x, y)
  return (
    sharp(data, { raw: { width: wide, height: high, channels: 1 } })
      // Noise of 24 megapixels is as large as an upload may be.
      .jpeg({ quality: 40 })
      .toBuffer()
  )
}

const signs = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<'

function soup(random: Chance, seed: number): Promise<Buffer> {
  const lines = Array.from({ length: 44 }, () =>
    Array.from({ length: 108 }, () => signs.charAt(random.below(signs.length))).join(''),
  )
  const print = { weight: 0, stray: 0.04, pitch: zonePitch, lineSpacing: 4.6, dropout: 0 }
  const content = zoneOutlines(lines, { left: 3, base: 206, seed }, print)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="0 0 280 210"><rect width="280" height="210" fill="#eee"/>${content}</svg>`
  return sharp(Buffer.from(svg), { unlimited: true }).jpeg({ quality: 85 }).toBuffer()
}

async function crowd(seed: number): Promise<Buffer> {
  const faces = await Promise.all([0, 1, 2, 3].map(n => issuedPortrait(headOf(n), seed + n)))
  const tiled = Array.from({ length: 48 }, (_, n) => ({
    input: faces[n % 4] ?? Buffer.alloc(0),
    left: (n % 8) * 700,
    top: Math.floor(n / 8) * 700,
  }))
  return sharp({ create: { width: wide, height: high, channels: 3, background: '#b8b4ac' } })
    .composite(tiled)
    .jpeg({ quality: 85 })
    .toBuffer()
}

/** Makes pictures that honest people send, and some that an attacker would send to hurt. */
async function picturesOf(seed: number): Promise<Readonly<Record<string, Partial<AnalysisRequest>>>> {
  const random = chance(seed, 'limits')
  const portrait = await issuedPortrait(headOf(seed), seed)
  const { front } = printDocument({ seed, format: 'TD3', portrait })
  const typical = takingOf('typical', seed)
  const selfie = await selfieOf(headOf(seed), {}, { condition: 'typical', seed })
  const passport = (await photographSide(front, typical, seed)).photo
  const large = (await photographSide(front, { ...typical, pitch: 100, fill: 0.85 }, seed)).photo
  const card = printDocument({ seed, format: 'TD1', portrait })
  const near = { ...typical, pitch: 82, fill: 0.7 }
  const side = async (printed: typeof front): Promise<Buffer> => (await photographSide(printed, near, seed)).photo
  const flat = await sharp({ create: { width: 7000, height: 7000, channels: 3, background: '#777' } })
    .png()
    .toBuffer()
  return {
    'passport and selfie': { document_front: passport, selfie },
    'passport of 24 megapixels': { document_front: large, selfie },
    'card of two sides, each of 12 megapixels': {
      document_front: await side(card.front),
      document_back: card.back && (await side(card.back)),
      selfie,
    },
    'selfie of 24 megapixels': { selfie: await crowd(seed) },
    'noise of 24 megapixels': { document_front: await raw(() => random.below(256)), selfie },
    'checkerboard of 24 megapixels': { document_front: await raw((x, y) => (((x >> 3) + (y >> 3)) & 1) * 255), selfie },
    'characters of OCR-B, 24 megapixels': { document_front: await soup(random, seed), selfie },
    'flat PNG of 49 megapixels': { document_front: flat, selfie: flat },
    'JPEG cut off in the middle': { document_front: passport.subarray(0, passport.length >> 1), selfie },
  }
}

async function measureOne(name: string, captured: Partial<AnalysisRequest>, times: number): Promise<LimitRow> {
  const { signal } = new AbortController()
  // A child that has grown is not replaced, so that it can be measured.
  const limits = { recycleMb: defaultLimits.memoryLimitMb }
  // The visual zone is read too, as by default in the service.
  const pool = startAnalysisPool({ clock: systemClock, limits })
  try {
    let { stages } = await pool.send(requestOf({}), { signal })
    const [pid = 0] = pool.pids()
    for (let time = 0; time < times; time++) ({ stages } = await pool.send(requestOf(captured), { signal }))
    return { name, cpu_ms: stages, peak_mb: readPeakMb(pid), failure: null }
  } catch (error) {
    return { name, cpu_ms: {}, peak_mb: 0, failure: String(error) }
  } finally {
    await pool.stop()
  }
}

/** Measures each picture in a fresh child, so that its peak of memory is its own. Linux only. */
export async function measureLimits(seed: number): Promise<LimitRow[]> {
  const pictures = await picturesOf(seed)
  const rows: LimitRow[] = []
  for (const [name, captured] of Object.entries(pictures)) rows.push(await measureOne(name, captured, 1))
  const [[name, usual] = ['', {}]] = Object.entries(pictures)
  return [...rows, await measureOne(`${name}, the twentieth`, usual, 20)]
}

function stagesOf(cpu_ms: LimitRow['cpu_ms']): string {
  return Object.entries(cpu_ms)
    .map(([stage, spent]) => `${stage} ${spent}`)
    .join(', ')
}

/** Returns the rows as Markdown. */
export function limitTable(rows: readonly LimitRow[]): string {
  return [
    '| One analysis in a child of its own | CPU ms | by stage | memory at most, MB |',
    '| - | - | - | - |',
    ...rows.map(({ name, cpu_ms, peak_mb, failure }) => {
      const sum = Object.values(cpu_ms).reduce((total, part) => total + part, 0)
      return `| ${name} | ${failure ?? sum} | ${stagesOf(cpu_ms)} | ${peak_mb} |`
    }),
  ].join('\n')
}

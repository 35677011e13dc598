import { readFileSync } from 'node:fs'
import { specimenFields } from '@attestor/rules/synthetic'
import type { AnalysisRequest } from '../port.ts'
import { renderDocument } from '../synthetic/document.ts'
import { photograph, photographFace } from '../synthetic/photo.ts'
import { type PortraitPose, person, personSeeds, renderPortrait } from '../synthetic/portrait.ts'
import { requestOf } from './request.ts'

const [seed = 1] = personSeeds

/** A request in which nothing was captured. */
export const emptyRequest = requestOf({})

/** Draws a selfie of a person who does not exist. */
export async function drawSelfie(pose: PortraitPose): Promise<Buffer> {
  return photographFace(await renderPortrait(person(seed), pose, { width: 960, height: 1280 }), seed)
}

/** Draws the portrait of the same person in their passport. */
export function drawPortrait(): Promise<Buffer> {
  return renderPortrait(person(seed), { distance: 8, headWidth: 0.6 }, { width: 350, height: 450 })
}

/** Draws a photographed passport with that portrait. */
export async function drawPassport(portrait: Buffer): Promise<Buffer> {
  const fields = { ...specimenFields, expiry_date: '2049-04-15' }
  const { front } = await renderDocument({ format: 'TD3', fields, portrait, seed })
  return photograph(front, { seed })
}

/** Draws a challenge of four actions, answered by that person. */
export async function drawChallenge(): Promise<NonNullable<AnalysisRequest['challenge']>> {
  return {
    actions: ['TURN_LEFT', 'BLINK', 'TURN_RIGHT', 'OPEN_MOUTH'],
    frames: await Promise.all([{ turn: 0.7 }, { blink: 1 }, { turn: -0.7 }, { mouthOpen: 0.9 }].map(drawSelfie)),
    attempts: 1,
  }
}

/** Returns the most that a process has held at any moment, in megabytes. Linux only. */
export function readPeakMb(processId: number): number {
  return Math.round(
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1] ?? 0) / 1024,
  )
}

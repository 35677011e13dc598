import { judge } from '@attestor/rules'
import type { AnalysisRequest } from '@attestor/vision'
import test from 'ava'
import fc from 'fast-check'
import { document, face, input, liveness } from '../../packages/rules/test/findings_samples.ts'
import { createCodeReader } from '../../src/engines/http/codes.ts'
import { parseResponse } from '../../src/engines/http/response.ts'
import { narrowRequest } from '../../src/engines/sections.ts'
import { rounds } from '../tier.ts'

const request: AnalysisRequest = {
  transaction_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  transaction_type: 'DOCUMENT_AND_BIOMETRIC',
  document_front: new Uint8Array(1),
  document_back: null,
  selfie: new Uint8Array(1),
  challenge: null,
  enrolled_face: null,
}

test('an enrolled face is shown to the engine that compares faces, and to no other', t => {
  const asked: AnalysisRequest = { ...request, enrolled_face: { model: 'm', values: [1] } }
  t.is(narrowRequest(asked, ['document', 'liveness']).enrolled_face, null)
  const stepUp: AnalysisRequest = { ...asked, transaction_type: 'BIOMETRIC_ONLY', document_front: null }
  t.deepEqual(narrowRequest(stepUp, ['face']), { ...stepUp, challenge: null })
  t.is(narrowRequest(asked, ['face']).enrolled_face, null, 'an onboarding compares with the document')
})

type Answer = Record<string, Record<string, unknown>>

/** Whether an answer could approve anybody, judged without any code of ours. */
function speaksForThem({ document = {}, liveness: live = {}, face: compared = {} }: Answer): boolean {
  const zone = document.mrz as typeof document
  const said = (text: unknown): boolean => typeof text === 'string' && /[^\s<]/.test(text)
  const held = (name: string, most = false): boolean => {
    const { score, threshold } = (live[name] ?? {}) as Record<string, unknown>
    return Number.isFinite(score) && (most ? Number(score) <= Number(threshold) : Number(score) >= Number(threshold))
  }
  const steps = live.challenge as readonly { readonly passed: boolean }[]
  return [
    [document, live, compared].every(({ codes = [] }) => (codes as readonly unknown[]).length === 0),
    document.reading === 'READ' && document.portrait_found === true && document.sides_match !== false,
    zone?.valid === true && said(zone.document_number) && said(zone.last_name) && !(Number(zone.expiry_date) < 261121),
    live.method === 'ACTIVE'
      ? steps.length === 2 && steps.every(step => step.passed) && held('planarity') && held('continuity', true)
      : held('presence'),
    compared.faces_in_selfie === 1 && compared.usable === true && compared.reference === 'DOCUMENT',
    Number(compared.accept_below) > 0 && Number(compared.distance) <= Number(compared.accept_below),
  ].every(holds => holds)
}

function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  return typeof value === 'object' && value !== null
    ? [path, ...Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...path, key]))]
    : [path]
}

function changed(value: unknown, [key, ...rest]: readonly string[], to: unknown): unknown {
  return key === undefined ? to : { ...(value as object), [key]: changed(Reflect.get(Object(value), key), rest, to) }
}

test('a mutated answer approves only if it truly says so', t => {
  const actions = ['TURN_LEFT', 'TURN_RIGHT'] as const
  const asked = { ...request, challenge: { actions, frames: [], attempts: 1 } }
  const whole: Answer = JSON.parse(JSON.stringify({ document, liveness, face }))
  const twists = [null, 0, -1, 1, 0.5, '', ' ', '<', 'x', '200101', 'PASSIVE', 'EXTERNAL', true, false, [], ['LOW']]
  const zeros = { score: 0, threshold: 0 }
  const twist = fc.tuple(fc.constantFrom(...pathsIn(whole)), fc.constantFrom<unknown>(...twists, zeros, undefined))
  const numRuns = rounds(1000, 5000)
  let approved = 0
  const predicate = (made: readonly (readonly [readonly string[], unknown])[]): boolean => {
    const twisted = made.reduce<unknown>((answer, [path, to]) => changed(answer, path, to), whole)
    const body = JSON.parse(JSON.stringify(twisted ?? null))
    try {
      const { findings } = parseResponse(body, asked, ['document', 'liveness', 'face'], createCodeReader({}))
      if (judge({ ...input, findings: { ...findings, stages: {} } }).decision !== 'APPROVED') return true
    } catch (error) {
      return /^[\w.]+: /.test(String((error as Error).message))
    }
    approved++
    return speaksForThem(body)
  }
  t.notThrows(() => fc.assert(fc.property(fc.array(twist, { maxLength: 3 }), predicate), { numRuns, seed: 20261121 }))
  t.true(approved > numRuns / 10, String(approved))
})

test('a service may name its models, but not without end: they stand beside every rule of the trace', t => {
  const named = (count: number) => {
    const models = Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, 'b'.repeat(64)]))
    return { face: { ...face, engine: { ...face.engine, models } } }
  }
  const read = (count: number) => parseResponse(named(count), request, ['face'], createCodeReader({}))
  t.is(Object.keys(read(20).findings.face?.engine.models ?? {}).length, 20)
  t.throws(() => read(21), { message: /^face\.engine\.models: must be at most 20/ })
})

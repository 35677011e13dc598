import type { Outcome } from './cases.ts'
import { look } from './engine.ts'
import { selfieOutcome } from './face_case.ts'
import type { SelfieLabel } from './labels.ts'
import { readPicture } from './picture_file.ts'

/** Compares a selfie's usability with its label: null if the label does not say what should be found. */
function expected({ expect }: SelfieLabel, usable: boolean): Outcome['checks'] {
  return {
    honest_refused: expect === 'usable' ? !usable : null,
    unfit_refused: expect === undefined || expect === 'usable' ? null : !usable,
  }
}

async function measureOne(folder: string, label: SelfieLabel, seed: number): Promise<Outcome> {
  const { file, person, condition, split, expect, compare, group } = label
  const { checks, cpu_ms, detail } = await selfieOutcome(await readPicture(folder, file), person)
  const usable = checks.found === true && checks.usable === true
  const { template, ...rest } = detail
  return {
    kind: 'face',
    seed,
    condition,
    format: 'any',
    split,
    cpu_ms,
    checks: { ...checks, ...expected(label, usable) },
    detail: { ...rest, path: label.source?.path ?? file, expect, group, template: compare ? template : null },
  }
}

/**
 * Measures a person's picture as the answer to BLINK, beside their neutral one as the selfie; without that one it
 * reports that it is missing.
 */
async function measureBlink(
  folder: string,
  { file, eyes }: SelfieLabel,
  neutral: SelfieLabel | undefined,
): Promise<Pick<Outcome, 'checks' | 'cpu_ms' | 'detail'>> {
  if (neutral === undefined)
    return { checks: { blinked: null, other_blinked: null, neutral_missing: true }, cpu_ms: {}, detail: {} }
  const selfie = await readPicture(folder, neutral.file)
  const frame = await readPicture(folder, file)
  const challenge = { actions: ['BLINK' as const], frames: [frame], attempts: 1 }
  const { liveness, stages } = await look({ transaction_type: 'BIOMETRIC_ONLY', selfie, challenge })
  const passed = liveness?.challenge[0]?.passed ?? null
  const shut = eyes === 'shut'
  return {
    checks: { blinked: shut ? passed : null, other_blinked: shut ? null : passed, neutral_missing: false },
    cpu_ms: stages,
    detail: { measured: liveness?.challenge[0]?.measured },
  }
}

/** Measures the answers to a blink of the pictures whose eyes are labelled. */
export async function measureBlinks(folder: string, labels: readonly SelfieLabel[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const neutral = new Map(labels.flatMap(label => (label.eyes === 'neutral' ? [[label.person, label]] : [])))
  for (const [seed, label] of labels.entries()) {
    if (label.eyes === undefined || label.eyes === 'neutral') continue
    const { person, condition, split, source, file } = label
    const { checks, cpu_ms, detail } = await measureBlink(folder, label, neutral.get(person))
    outcomes.push({
      kind: 'blink',
      seed,
      condition,
      format: 'any',
      split,
      checks,
      cpu_ms,
      detail: { path: source?.path ?? file, ...detail },
    })
  }
  return outcomes
}

/** Measures labelled selfies: the findings in each, and its answer to a blink. */
export async function measureSelfies(folder: string, labels: readonly SelfieLabel[]): Promise<Outcome[]> {
  const faces: Outcome[] = []
  for (const [n, label] of labels.entries()) faces.push(await measureOne(folder, label, n))
  return [...faces, ...(await measureBlinks(folder, labels))]
}

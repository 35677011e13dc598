import { registerHooks } from 'node:module'

/** A fault to be planted: the text of a file is changed in one place. */
export interface Planted {
  readonly name: string
  /** Path below the package's folder. */
  readonly file: string
  readonly from: string
  readonly to: string
}

export function fault(name: string, file: string, from: string, to: string): Planted {
  return { name, file, from, to }
}

/** The number of the fault that this process has; null for none. */
export function readPlanted(): number | null {
  const { PLANTED_FAULT = '' } = process.env
  return PLANTED_FAULT === '' ? null : Number(PLANTED_FAULT)
}

/** Plants a package's fault that `PLANTED_FAULT` names, in files that are loaded later. `base` is the package's folder. */
export function plant(base: URL, faults: readonly Planted[]): void {
  const planted = faults[readPlanted() ?? -1]
  if (planted === undefined) return
  const url = new URL(planted.file, base).href
  registerHooks({
    load(loaded, context, next) {
      const result = next(loaded, context)
      if (loaded !== url) return result
      const parts = String(result.source).split(planted.from)
      if (parts.length !== 2) throw new Error(`${planted.name}: ${planted.file} has its text ${parts.length - 1} times`)
      return { ...result, source: parts.join(planted.to) }
    },
  })
}

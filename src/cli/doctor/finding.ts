/** What the doctor looked at, and what is wrong with it. */
export interface Finding {
  readonly check: string
  readonly level: 'ok' | 'warning' | 'error'
  readonly message: string
  /** What to do; null where there is nothing to do. */
  readonly remedy: string | null
}

export const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message, remedy: null })

export const warning = (check: string, message: string, remedy: string): Finding => ({
  check,
  level: 'warning',
  message,
  remedy,
})

export const error = (check: string, message: string, remedy: string): Finding => ({
  check,
  level: 'error',
  message,
  remedy,
})

/** The findings, or one that says that all is well. */
export const orOk = (check: string, message: string, findings: readonly Finding[]): readonly Finding[] =>
  findings.length > 0 ? findings : [ok(check, message)]

/** For scripts. 1 and 2 are every command's: it failed, or it was not understood. */
export const exitCodes = { ok: 0, warning: 3, error: 4 } as const

/** The most serious of them. */
export const findWorst = (findings: readonly Finding[]): Finding['level'] =>
  (['error', 'warning'] as const).find(level => findings.some(finding => finding.level === level)) ?? 'ok'

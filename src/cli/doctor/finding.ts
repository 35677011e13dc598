/** One check of the doctor, with its fault if it has one. */
export interface Finding {
  readonly check: string
  readonly level: 'ok' | 'warning' | 'error'
  readonly message: string
  /** The operator's next step; null if there is nothing to do. */
  readonly remedy: string | null
}

export function ok(check: string, message: string): Finding {
  return { check, level: 'ok', message, remedy: null }
}

export function warning(check: string, message: string, remedy: string): Finding {
  return {
    check,
    level: 'warning',
    message,
    remedy,
  }
}

export function error(check: string, message: string, remedy: string): Finding {
  return {
    check,
    level: 'error',
    message,
    remedy,
  }
}

/** The findings, or one that says that all is well. */
export function orOk(check: string, message: string, findings: readonly Finding[]): readonly Finding[] {
  return findings.length > 0 ? findings : [ok(check, message)]
}

/** Exit codes for scripts. 1 and 2 are every command's: it failed, or it was not understood. */
export const exitCodes = { ok: 0, warning: 3, error: 4 } as const

/** The most serious of them. */
export function findWorst(findings: readonly Finding[]): Finding['level'] {
  return (['error', 'warning'] as const).find(level => findings.some(finding => finding.level === level)) ?? 'ok'
}

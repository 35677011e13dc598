import { stripVTControlCharacters } from 'node:util'

/**
 * Counts the results in the output of ava's default reporter. (Its TAP reporter dies of some failures itself: of an
 * error that YAML can't hold, and of a test file that calls `process.exit`.)
 */
export interface Tally {
  /** One line of ava's output. */
  read(line: string): void
  /** The counts. A run that failed without saying why, or in which nothing passed or failed, counts one failure. */
  end(exitedWell: boolean): { passed: number; failed: number }
}

/** Failures that have no line with a cross of their own; ava's closing lines have them. */
const summary = /^(\d+) (?:uncaught exceptions?|unhandled rejections?|tests? remained pending after a timeout)$/

/** A cross stands before each failed test and hook, and each file that crashed, timed out or holds no test. */
export function tally(): Tally {
  let passed = 0
  let failed = 0
  return {
    read(line) {
      const text = stripVTControlCharacters(line)
      if (/^ {0,2}[✔√] /.test(text)) passed += 1
      if (/^ {0,2}[✘×] /.test(text)) failed += 1
      failed += Number(summary.exec(text.trim())?.[1] ?? 0)
    },
    end: exitedWell => ({ passed, failed: failed > 0 || (exitedWell && passed > 0) ? failed : 1 }),
  }
}

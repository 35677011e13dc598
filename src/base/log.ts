import { pino } from 'pino'

/** One event of the service's life. Fields are snake_case; they never hold tokens, secrets or personal data. */
export interface Log {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

/** Levels that `LOG_LEVEL` can name. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** JSON lines on stdout: `time` in ISO-8601, `level` by name, `message`. A second line of defence hides credentials. */
export const jsonLog = (level: (typeof logLevels)[number]): Log => {
  const log = pino({
    level,
    base: null,
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: label => ({ level: label }) },
    redact: ['authorization', 'token', 'sdk_token', 'access_token', 'client_secret', '*.authorization', '*.token'],
  })
  return {
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  }
}

/** For programs and tests that want no log at all. */
export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} }

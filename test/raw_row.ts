import type { Row } from 'durable-xstate-sql/testing'

/** A column of a row as the engine gave it, known to be text. */
export function text(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== 'string') throw new TypeError(`${column}: expected text, found ${typeof value}`)
  return value
}

/** A column of a row as the engine gave it, known to be bytes. */
export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column]
  if (!(value instanceof Uint8Array)) throw new TypeError(`${column}: expected bytes, found ${typeof value}`)
  return value
}

/** A column of a row as the engine gave it, known to be a number. */
export function number(row: Row, column: string): number {
  const value = row[column]
  if (typeof value !== 'number') throw new TypeError(`${column}: expected a number, found ${typeof value}`)
  return value
}

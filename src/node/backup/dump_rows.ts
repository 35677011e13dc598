function codes(text: string): number[] {
  return [...Buffer.from(text)]
}

const [quote, backslash, open, close, newline, semicolon] = codes("'\\()\n;") as [
  number,
  number,
  number,
  number,
  number,
  number,
]
/** No table's name is longer than this. */
const maxHead = 200
const insertion = /^INSERT INTO `([^`]+)` VALUES ?$/

/** Counts the rows of each table while a dump is streamed. */
export interface DumpRows {
  add(chunk: Uint8Array): void
  readonly rows: Readonly<Record<string, number>>
}

/**
 * A dump of `mariadb-dump` or `mysqldump` is lines of statements; an INSERT has many rows in parentheses, on one line or on
 * several, and texts in which anything may stand.
 */
export function countDumpRows(): DumpRows {
  const rows: Record<string, number> = {}
  let head: number[] = []
  /** The table whose rows follow; null outside of an INSERT. */
  let table: string | null = null
  let isText = false
  let isEscaped = false
  let depth = 0

  const passOutside = (byte: number): void => {
    if (byte === newline || byte === open) table = insertion.exec(String.fromCharCode(...head))?.[1] ?? null
    if (byte === newline) head = []
    else if (table !== null) passRow(byte, table)
    else if (head.length < maxHead) head.push(byte)
  }
  const passRow = (byte: number, name: string): void => {
    if (isEscaped) isEscaped = false
    else if (byte === backslash) isEscaped = isText
    else if (byte === quote) isText = !isText
    else if (isText) return
    else if (byte === open) {
      if (depth === 0) rows[name] = (rows[name] ?? 0) + 1
      depth += 1
    } else if (byte === close) depth -= 1
    else if (byte === semicolon && depth === 0) {
      table = null
      head = []
    }
  }
  return {
    rows,
    add(chunk) {
      for (const byte of chunk) table === null ? passOutside(byte) : passRow(byte, table)
    },
  }
}

function findPivotRow(rows: readonly number[][], column: number): number {
  let best = column
  for (let row = column + 1; row < rows.length; row++) {
    if (Math.abs(rows[row]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = row
  }
  return best
}

/** Subtracts a multiple of the pivot's row, so that the entry in `column` becomes 0. */
function eliminate(row: number[], pivot: readonly number[], column: number): void {
  const factor = (row[column] ?? 0) / (pivot[column] ?? 1)
  if (factor === 0) return
  for (let at = column; at < row.length; at++) row[at] = (row[at] ?? 0) - factor * (pivot[at] ?? 0)
}

/** Solves an n × (n + 1) matrix by Gauss and Jordan with pivots, in place; null if it is singular. */
function solve(rows: number[][]): number[] | null {
  for (let column = 0; column < rows.length; column++) {
    const best = findPivotRow(rows, column)
    const pivot = rows[best] ?? []
    if (Math.abs(pivot[column] ?? 0) < 1e-12) return null
    rows[best] = rows[column] ?? []
    rows[column] = pivot
    for (const row of rows) if (row !== pivot) eliminate(row, pivot, column)
  }
  return rows.map((row, at) => (row[rows.length] ?? 0) / (row[at] ?? 1))
}

/**
 * Returns the weights of an equation's terms that fit all equations best, by least squares. Each equation is a list of
 * its terms, as many in all, and their value behind them. Null if the equations do not determine the weights.
 */
export function leastSquares(equations: readonly (readonly number[])[]): number[] | null {
  const terms = (equations[0]?.length ?? 1) - 1
  const normal = Array.from({ length: terms }, () => new Array<number>(terms + 1).fill(0))
  for (const equation of equations)
    for (const [at, row] of normal.entries()) {
      const factor = equation[at] ?? 0
      for (let to = 0; to <= terms; to++) row[to] = (row[to] ?? 0) + factor * (equation[to] ?? 0)
    }
  return solve(normal)
}

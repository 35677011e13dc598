/** `node test/golden/write.ts` adds new chart versions to the golden file; it refuses to change one that is there. */
import { existsSync, writeFileSync } from 'node:fs'
import { currentCharts, goldenFile, readGolden, withCurrent } from '../machines/golden.ts'

try {
  const golden = withCurrent(existsSync(goldenFile) ? readGolden() : {}, currentCharts)
  writeFileSync(goldenFile, `${JSON.stringify(golden, null, 2)}\n`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

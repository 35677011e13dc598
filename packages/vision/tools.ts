import type { MeasureStage, ReadSides } from './document/read_sides.ts'
import type { Models } from './models.ts'
import type { FalseMatchRate } from './port.ts'
import type { PrintReader } from './print/printed_side.ts'

/** The models, readers and options of an analysis. */
export interface AnalysisTools {
  readonly models: Models
  /** Faces are compared at this rate. */
  readonly falseMatchRate: FalseMatchRate
  readonly readSides: ReadSides
  /** The reader of printed text; null if it is switched off. */
  readonly print: PrintReader | null
}

/** Measures the CPU time of this process by stage, in milliseconds. One request runs at a time in a process. */
export function createStopwatch(begin: (stage: string) => void): {
  stages: Record<string, number>
  measure: MeasureStage
} {
  const stages: Record<string, number> = {}
  return {
    stages,
    measure: async (stage, work) => {
      begin(stage)
      const before = process.cpuUsage()
      const result = await work()
      const { user, system } = process.cpuUsage(before)
      stages[stage] = Math.round((user + system) / 1000)
      return result
    },
  }
}

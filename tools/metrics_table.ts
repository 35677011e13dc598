import { describeMetrics } from '../src/node/metrics/metrics.ts'
import { code, table } from './tables.ts'

/** Every metric of a node with its type, its labels and its meaning. */
export function metricsTable(): string {
  return table(
    ['Metric', 'Type', 'Labels', 'Meaning'],
    describeMetrics().map(({ name, type, labels, help }) => [code(name), type, labels.map(code).join(', '), help]),
  )
}

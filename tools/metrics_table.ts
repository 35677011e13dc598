import { describeMetrics } from '../src/metrics/metrics.ts'

const code = (text: string): string => `\`${text}\``

/** Every metric of a node with its type, its labels and its meaning, as a Markdown table. */
export const metricsTable = (): string =>
  [
    '| Metric | Type | Labels | Meaning |',
    '| - | - | - | - |',
    ...describeMetrics().map(
      ({ name, type, labels, help }) => `| ${code(name)} | ${type} | ${labels.map(code).join(', ')} | ${help} |`,
    ),
  ].join('\n')

export { type Chart, createChart } from './chart/page/chart.ts'
export type { ChartStep } from './chart/page/drawing.ts'

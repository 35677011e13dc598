export { toDefinition } from './chart/known_charts.ts'

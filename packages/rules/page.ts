export type { LivenessAction, Measured, SelfieFault } from './findings.ts'
export { issueCatalogue } from './issues.ts'

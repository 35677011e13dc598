export type { Measured, SelfieFault } from './findings.ts'
export { issueCatalogue } from './issues.ts'
export {
  type Decision,
  type DocumentType,
  decisions,
  documentTypes,
  type LivenessAction,
  transactionTypes,
} from './words.ts'
export { type ZoneField, zoneLayouts } from './zone/layouts.ts'

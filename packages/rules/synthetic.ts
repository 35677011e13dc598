export { composeCheckDigit, composeMrz, type DocumentFields, type DocumentFormat } from './synthetic/mrz.ts'
export { specimenFields } from './synthetic/specimen.ts'

import type { EngineName } from '../../decision/findings.ts'

/** The engine as evidence names it. Its version changes whenever the same pixels could give other evidence. */
export const localEngineName: EngineName = { name: 'attestor-local', version: '4' }

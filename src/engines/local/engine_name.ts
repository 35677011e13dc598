import type { EngineName } from '../../decision/findings.ts'

/** The engine as findings names it. Its version changes whenever the same pixels could give other findings. */
export const localEngineName: EngineName = { name: 'attestor-local', version: '4' }

import type { EngineName } from '@attestor/rules'

/** The version changes whenever the same image could give other findings. */
export const localEngineName: EngineName = { name: 'attestor-local', version: '7' }

import manifest from '../../package.json' with { type: 'json' }

/** Attestor's own version. */
export const version: string = manifest.version

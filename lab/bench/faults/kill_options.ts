import { parseArgs } from 'node:util'

/** The limits of a run, and the seed that its order comes from. */
export const { values: given } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '3600' },
    seed: { type: 'string', default: '1' },
  },
})

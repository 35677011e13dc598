/** A child's arguments. */
export const child_options = {
  /** Read the printed text too. */
  'visual-zone': { type: 'boolean', default: false },
  /** At which faces are compared. */
  'false-match-rate': { type: 'string', default: '0.0001' },
} as const

/** A child's argument: read the printed text too. */
export const with_visual_zone = '--visual-zone'

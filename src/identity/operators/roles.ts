/** What an operator may do; each role may do all that those before it may. */
export const roles = ['viewer', 'reviewer', 'admin'] as const

/** `viewer` sees statuses and decisions; `reviewer` pictures and personal data too, and decides; `admin` everything. */
export type Role = (typeof roles)[number]

/** Whether a role includes another. */
export const includesRole = (given: Role, required: Role): boolean => roles.indexOf(given) >= roles.indexOf(required)

import { type Role, roles } from '../../database/words.ts'

/** Whether a role includes another. */
export const includesRole = (given: Role, required: Role): boolean => roles.indexOf(given) >= roles.indexOf(required)

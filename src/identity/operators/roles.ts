import { type Role, roles } from '../../database/words.ts'

/** Whether a role includes another. */
export function includesRole(given: Role, required: Role): boolean {
  return roles.indexOf(given) >= roles.indexOf(required)
}

import type { Endpoint } from '../../http/endpoint.ts'
import { createOperator, disableOperator, listAudit, listOperators, resetOperator } from './operators.ts'
import { getMe, listSessions, logIn, logOut, revokeSession } from './sessions.ts'

/** What the console's page calls. */
export const consoleEndpoints: readonly Endpoint[] = [
  logIn,
  getMe,
  logOut,
  listSessions,
  revokeSession,
  listOperators,
  createOperator,
  resetOperator,
  disableOperator,
  listAudit,
]

import type { EngineFindings } from '@attestor/rules'
import type { AnalysisRequest } from '@attestor/vision'
import type { Environment } from '../../src/config/settings.ts'
import type { Role } from '../../src/database/words.ts'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { switchAccount } from '../../src/identity/accounts/accounts.ts'
import { commandLine } from '../../src/identity/operators/audit.ts'
import { createOperator } from '../../src/identity/operators/operators.ts'
import type { Answer, CallOptions } from '../calls.ts'
import type { TestEngine } from '../database.ts'
import { codeAt } from '../identity/operators/rig.ts'
import { openRig, type Rig } from '../service/rig.ts'
import { cookieOf } from './rig.ts'

export const api = '/console/api'

export type OperatorCall = (method: string, path: string, options?: CallOptions) => Promise<Answer>

export interface OperatedRig {
  readonly rig: Rig
  /** Logs an operator in; `headers` are those of their calls. */
  login(name: string, role: Role): Promise<{ call: OperatorCall; headers: Record<string, string>; operator_id: string }>
}

/** Findings that leave a decision open: liveness was not looked for. */
export function openFindings(request: AnalysisRequest): EngineFindings {
  return {
    ...createApprovedFindings(request),
    liveness: null,
  }
}

/** A running service whose account has reviews, and operators who log in to it. */
export async function openOperated(engine: TestEngine, settings: Environment = {}): Promise<OperatedRig> {
  const rig = await openRig(engine, settings)
  const { service, url } = rig.node()
  await switchAccount(service, rig.account.account_id, 'review', true)
  return {
    rig,
    async login(name, role) {
      const { password, totp, operator_id } = await createOperator(service, { name, role }, commandLine)
      const own = { 'X-Attestor-Console': '1', Origin: url }
      const json = { name, password, code: codeAt(rig.clock.now(), totp.secret) }
      const answer = await rig.call('POST', `${api}/login`, { json, headers: own })
      if (answer.status !== 200) throw new Error(answer.text)
      const headers = { ...own, Cookie: cookieOf(answer) }
      const call: OperatorCall = (method, path, options = {}) =>
        rig.call(method, `${api}${path}`, { ...options, headers })
      return { call, headers, operator_id }
    },
  }
}

import { openStore } from 'durable-xstate-sql'
import { Secret, TOTP } from 'otpauth'
import { silentLog } from '../../../src/base/log.ts'
import type { Role } from '../../../src/database/words.ts'
import { commandLine, openAuditLog } from '../../../src/identity/operators/audit.ts'
import type { LoginDeps } from '../../../src/identity/operators/login.ts'
import { createOperator, type OperatorCredentials } from '../../../src/identity/operators/operators.ts'
import { createRefusals } from '../../../src/identity/operators/refusals.ts'
import { type ManualClock, manualClock } from '../../clock.ts'
import type { TestEngine } from '../../database.ts'

/** The code that an authenticator app shows at `now`. */
export function codeAt(now: number, secret: string): string {
  return new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(secret) }).generate({
    timestamp: now,
  })
}

export interface OperatorRig extends LoginDeps {
  readonly clock: ManualClock
  newOperator(name: string, role?: Role): Promise<OperatorCredentials>
  drop(): Promise<void>
}

/** Operators on a database and a clock of their own. */
export async function openOperators(engine: TestEngine): Promise<OperatorRig> {
  const database = await engine.fresh()
  const store = await openStore(database.address, 4)
  await openAuditLog(store)
  const serviceKeys = { roots: [Buffer.alloc(32, 7)], lookup: Buffer.alloc(32, 8) }
  const deps = { store, clock: manualClock(), serviceKeys }
  return {
    ...deps,
    refusals: createRefusals({ ...deps, log: silentLog }),
    newOperator: (name, role = 'admin') => createOperator(deps, { name, role }, commandLine),
    async drop() {
      await store.close()
      await database.drop()
    },
  }
}

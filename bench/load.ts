/** What the benches of callers that hurt each other share: a service of their own, and calls to it. */
import { randomBytes } from 'node:crypto'
import { eachDialect } from '../test/database.ts'
import { kyc, sdk } from '../test/service/client.ts'
import { type Program, startProgram, urlOf } from './measure.ts'

/** An account of the service, with an access token. */
export interface LoadAccount {
  readonly account_id: string
  readonly client_id: string
  readonly token: string
}

/** A service in a process of its own, on an empty database, with two accounts. */
export interface LoadedService {
  readonly program: Program
  readonly url: string
  readonly accounts: readonly [LoadAccount, LoadAccount]
  call(method: string, path: string, token: string, body?: object | Uint8Array): Promise<Response>
  /** A begun session; resolves with its transaction and its `sdk_token`. */
  session(account: LoadAccount): Promise<{ readonly transaction_id: string; readonly sdk_token: string }>
  end(): Promise<void>
}

/** Starts the service on `name`, SQLite or MariaDB; MariaDB where `TEST_MYSQL_URL` names a server. */
export async function startLoadedService(name: string): Promise<LoadedService> {
  const engine = eachDialect.find(candidate => candidate.name === name)
  if (engine === undefined) throw new Error('TEST_MYSQL_URL must name a server')
  const database = await engine.fresh()
  const settings = { DATABASE_URL: urlOf(database.address), MASTER_KEY: randomBytes(32).toString('base64') }
  const program = startProgram('load_service.ts', { ...settings, LOG_LEVEL: 'error' })
  const ready = await program.ask<Pick<LoadedService, 'url' | 'accounts'>>('ready')
  const call: LoadedService['call'] = (method, path, token, body) => {
    const isImage = body instanceof Uint8Array
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': isImage ? 'application/octet-stream' : 'application/json' }),
    }
    const data = body === undefined ? {} : { body: isImage ? new Uint8Array(body) : JSON.stringify(body) }
    return fetch(`${ready.url}${path}`, { method, headers, ...data })
  }
  return {
    program,
    ...ready,
    call,
    async session({ token }) {
      const customer = await call('POST', `${kyc}/customer`, token, { external_customer_id: crypto.randomUUID() })
      const { customer_id } = (await customer.json()) as { customer_id: string }
      const json = {
        customer_id,
        transaction_type: 'DOCUMENT_AND_BIOMETRIC',
        config: { transaction_ttl_minutes: 1440 },
      }
      const opened = await call('POST', `${kyc}/transaction`, token, json)
      const { transaction_id, sdk_token } = (await opened.json()) as { transaction_id: string; sdk_token: string }
      await (await call('POST', `${sdk}/start`, sdk_token, { consent: true })).text()
      return { transaction_id, sdk_token }
    },
    async end() {
      await program.end()
      await database.drop()
    },
  }
}

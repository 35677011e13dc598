import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { type Environment, readConfig } from '../../src/config/settings.ts'
import { createAccount } from '../../src/identity/accounts/accounts.ts'
import { type AttestorNode, startNode } from '../../src/node/start_node.ts'
import { type Call, callTo } from '../../test/calls.ts'
import { kyc, scope } from '../../test/service/client.ts'

/** A whole node with the engine and the clock of its settings, and an integrator of it. */
export interface LocalNode {
  readonly node: AttestorNode
  readonly call: Call
  /** Opens a transaction of a new customer; resolves with the device's token. */
  open(config?: object): Promise<string>
}

export async function openLocalNode(settings: Environment): Promise<LocalNode> {
  const node = await startNode({
    config: readConfig({ PORT: '0', LOG_LEVEL: 'error', RATE_LIMIT_DEVICE: '0', ...settings }),
    clock: systemClock,
    log: silentLog,
  })
  const call = callTo(() => node.url)
  while ((await call('GET', '/readyz')).status !== 200) await new Promise(setImmediate)
  const { client_id, client_secret } = await createAccount(node.service, { name: 'bench' })
  const form = { grant_type: 'client_credentials', client_id, client_secret, scope }
  const token = String((await call('POST', '/oauth2/token', { form })).body.access_token)
  const open = async (config: object = {}): Promise<string> => {
    const json = { external_customer_id: crypto.randomUUID() }
    const { customer_id } = (await call('POST', `${kyc}/customer`, { token, json })).body
    const body = { customer_id, transaction_type: 'DOCUMENT_AND_BIOMETRIC', config }
    return String((await call('POST', `${kyc}/transaction`, { token, json: body })).body.sdk_token)
  }
  return { node, call, open }
}

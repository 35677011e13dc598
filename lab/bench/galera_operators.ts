import { runAll } from 'durable-xstate-sql'
import { createAccount } from '../../src/identity/accounts/accounts.ts'
import { generateSigningKey } from '../../src/identity/keys/sign.ts'
import { loadOrCreateKey } from '../../src/identity/keys/signing_keys.ts'
import { rotateWebhookKeys } from '../../src/identity/keys/webhook_keys.ts'
import { kyc, scope } from '../../test/service/client.ts'
import { post, tallied } from './galera_nodes.ts'
import { at, countOf, type Trial } from './galera_trials.ts'

const startedAtOnce: Trial = {
  promise: 'three nodes that start for the first time at once make the first key',
  async run({ nodes, clock }, rounds) {
    const kids: number[] = []
    const remove = ["DELETE FROM signing_keys WHERE purpose = 'evidence'", "DELETE FROM facts WHERE name LIKE 'first%'"]
    for (let round = 0; round < Math.ceil(rounds / 10); round++) {
      await nodes[0].store.commit(() => runAll(remove.map(sql => ({ sql, values: [] }))))
      const generate = () => generateSigningKey('ES256')
      const made = await Promise.all(
        nodes.map(({ store, door: { service } }) =>
          loadOrCreateKey(store, clock, service.serviceKeys, { purpose: 'evidence', algorithm: 'ES256', generate }),
        ),
      )
      kids.push(new Set(made.flatMap(keys => keys.map(({ kid }) => kid))).size)
    }
    return { said: `${tallied(kids.map(many => `${many} key`))} times`, holds: kids.every(many => many === 1) }
  },
}

const rotatedAtOnce: Trial = {
  promise: "the webhooks' key is rotated at once on three members",
  async run(cluster) {
    const settled = await Promise.allSettled(
      cluster.nodes.map(({ door }) => rotateWebhookKeys({ ...door.service, algorithm: 'RS256' }, 0)),
    )
    const words = settled.map(result => (result.status === 'fulfilled' ? 'rotated' : String(result.reason.code)))
    const made = await countOf(cluster.nodes[0], "SELECT COUNT(*) AS many FROM signing_keys WHERE purpose = 'webhook'")
    return { said: `${tallied(words)}; ${made} keys`, holds: made === 2 && tallied(words) === 'conflict 2, rotated 1' }
  },
}

const seenAtOnce: Trial = {
  promise: 'what one member acknowledged is there on the others at once: accounts and customers',
  async run(cluster, rounds) {
    const answers: string[] = []
    for (let round = 0; round < rounds; round++) {
      const here = at(cluster, round)
      const others = [at(cluster, round + 1), at(cluster, round + 2)]
      const { client_id, client_secret } = await createAccount(here.door.service, { name: `account ${round}` })
      const form = { grant_type: 'client_credentials', client_id, client_secret, scope }
      const tokens = await Promise.all(others.map(({ door }) => door.call('POST', '/oauth2/token', { form })))
      answers.push(...tokens.map(({ status }) => `token ${status}`))
      const { body } = await post(here, 'customer', { external_customer_id: `seen ${round}` })
      const path = `${kyc}/customer/${body.customer_id}`
      const found = await Promise.all(others.map(({ door }) => door.call('GET', path, { token: door.token })))
      answers.push(...found.map(({ status }) => `customer ${status}`))
    }
    return { said: tallied(answers), holds: tallied(answers) === `customer 200 ${2 * rounds}, token 200 ${2 * rounds}` }
  },
}

/** The promises about the actions of nodes and operators, and about their visibility. */
export const operatorTrials: readonly Trial[] = [startedAtOnce, rotatedAtOnce, seenAtOnce]

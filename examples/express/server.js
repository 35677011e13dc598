import { randomUUID } from 'node:crypto'
import { createClient } from '@attestor/client'
import { openKeySet, verifyWebhook } from '@attestor/client/verify_webhook'
import express from 'express'

const { ATTESTOR_URL = 'http://127.0.0.1:3000', CLIENT_ID = '', CLIENT_SECRET = '', PORT = '8080' } = process.env
const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env

// It gets a token, and renews it.
const attestor = createClient({ baseUrl: ATTESTOR_URL, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET })
const keys = openKeySet(`${ATTESTOR_URL}/.well-known/jwks.json`)

/** How each verification ended, by its transaction; null while it is open. Yours is a database. */
const verifications = new Map()

const app = express()
app.use(express.static(new URL('../page', import.meta.url).pathname))

app.post('/verifications', async (_request, response) => {
  // Yours knows who is logged in; here everybody is new.
  const { customer_id } = await attestor.createCustomer({ external_customer_id: randomUUID() })
  // An app of yours gets `sdk_token` of the answer instead of `verify_url`.
  const { transaction_id, verify_url } = await attestor.createTransaction({
    customer_id,
    transaction_type: 'DOCUMENT_AND_BIOMETRIC',
    config: { embed_origins: [PUBLIC_URL], webhook: { url: `${PUBLIC_URL}/webhooks` } },
  })
  verifications.set(transaction_id, null)
  response.cookie('transaction_id', transaction_id, { httpOnly: true, sameSite: 'lax' }).json({ verify_url })
})

app.get('/verifications/mine', (request, response) => {
  const [, transaction_id] = /(?:^|; )transaction_id=([\w-]+)/.exec(request.headers.cookie ?? '') ?? []
  if (!verifications.has(transaction_id)) return response.sendStatus(404)
  response.json(verifications.get(transaction_id) ?? { status: 'OPEN' })
})

app.post('/webhooks', express.text({ type: '*/*', limit: '64kb' }), async (request, response) => {
  // Where the keys can't be fetched it throws: the webhook is answered with an error, and comes again.
  const result = await verifyWebhook({ headers: request.headers, body: request.body }, keys)
  if (!result.verified) return response.sendStatus(401)
  const { transaction_id, status } = result.notification
  // It may come twice, and its status is not signed: the transaction is read.
  if (['FINISHED', 'FAILED', 'EXPIRED'].includes(status) && verifications.get(transaction_id) === null) {
    const { status, result_data } = await attestor.getTransaction(transaction_id)
    verifications.set(transaction_id, { status, decision: result_data?.decision })
  }
  response.sendStatus(204)
})

app.listen(Number(PORT), '127.0.0.1', () => console.log(PUBLIC_URL))

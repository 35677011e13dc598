import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import Router from '@koa/router'
import Koa, { type Context } from 'koa'
import type { AttestorClient } from '../../clients/typescript/src/client.ts'
import { type KeySet, type Verification, verifyWebhook } from '../../clients/typescript/src/verify_webhook.ts'

interface IntegratorOptions {
  readonly attestor: AttestorClient
  readonly keys: KeySet
  readonly publicUrl: string
  readonly observe?: (result: Verification) => void
}

function page(words: string, more = ''): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sample shop</title><style>:root { color-scheme: light dark }
body { font: 1.2rem/1.5 system-ui; margin: 4rem auto; max-width: 28rem; padding: 0 1rem }</style>
<main><h1>Sample shop</h1><p>${words}</p>${more}</main>`
}

const button = '<form method="post" action="/verifications"><button>Verify yourself</button></form>'
const link = '<a href="/">Back to the shop</a>'
const wait = page('One moment …', '<meta http-equiv="refresh" content="2">')

/** Pages for the person. The reason of a rejection is for you to know, not for the person. */
const answers: Readonly<Record<string, string>> = {
  APPROVED: page('You are verified. Welcome!', link),
  REJECTED: page('We could not verify you.', button),
  UNDETERMINED: page('A colleague will have a look, and write to you.', link),
  EXPIRED: page('That took too long.', button),
  FAILED: page('The verification ended without a result. You may begin again.', button),
}

/** An integrator's server: it sends people to Attestor's page, takes webhooks, and shows people the decision. */
export function createIntegrator({ attestor, keys, publicUrl, observe }: IntegratorOptions): Koa {
  /** The transactions that a webhook says have ended. Yours is a database. */
  const ended = new Set<string>()
  const begin = async (ctx: Context): Promise<void> => {
    // Yours knows who is logged in; here everybody is new.
    const { customer_id } = await attestor.createCustomer({ external_customer_id: randomUUID() })
    const { transaction_id, verify_url } = await attestor.createTransaction({
      customer_id,
      transaction_type: 'DOCUMENT_AND_BIOMETRIC',
      config: { redirect_url: `${publicUrl}/verified`, webhook: { url: `${publicUrl}/webhooks` } },
    })
    ctx.cookies.set('transaction_id', transaction_id, { sameSite: 'lax' })
    ctx.status = 303
    ctx.redirect(verify_url)
  }
  const show = async (ctx: Context): Promise<void> => {
    const { transaction_id } = ctx.query
    // Anybody can write an id into the address: visitors only see their own transactions.
    if (typeof transaction_id !== 'string' || transaction_id !== ctx.cookies.get('transaction_id')) ctx.throw(404)
    ctx.body = wait
    if (!ended.has(transaction_id)) return
    const { status, result_data } = await attestor.getTransaction(transaction_id)
    ctx.body = answers[status] ?? answers[result_data?.decision ?? ''] ?? wait
  }
  const receive = async (ctx: Context): Promise<void> => {
    if (!(ctx.request.length <= 65_536)) ctx.throw(413)
    const result = await verifyWebhook({ headers: ctx.headers, body: await text(ctx.req) }, keys)
    observe?.(result)
    if (!result.verified) ctx.throw(401)
    // It may come twice, and its status is not signed: the transaction is read where it is shown.
    const { transaction_id, status } = result.notification
    if (['FINISHED', 'FAILED', 'EXPIRED'].includes(status)) ended.add(transaction_id)
    ctx.status = 204
  }
  const router = new Router()
  router.get('/', ctx => {
    ctx.body = page('Before you buy, we must know you.', button)
  })
  router.post('/verifications', begin)
  router.get('/verified', show)
  router.post('/webhooks', receive)
  const app = new Koa()
  app.use(router.routes())
  return app
}

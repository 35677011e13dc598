import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { openKeySet, verifyWebhook } from '../../clients/typescript/src/verify_webhook.ts'

const clients = join(import.meta.dirname, '../../clients')

interface Step {
  readonly name: string
  readonly at: string
  readonly published: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly expected: string
  readonly fetches: boolean
}

interface Vectors {
  readonly key_sets: Readonly<Record<string, object>>
  readonly receivers: readonly { readonly name: string; readonly steps: readonly Step[] }[]
}

const { key_sets, receivers }: Vectors = JSON.parse(readFileSync(join(clients, 'webhook_vectors.json'), 'utf8'))

/** A receiver that was just started; `take` brings it a webhook, as text or parsed. */
function startReceiver() {
  let published: string | null = null
  let requests = 0
  let now = 0
  const keys = openKeySet('https://attestor.invalid/.well-known/jwks.json', {
    now: () => now,
    fetch: async () => {
      requests += 1
      return published === null ? new Response('', { status: 503 }) : Response.json(key_sets[published])
    },
  })
  return async (step: Step, { headers, body }: Parameters<typeof verifyWebhook>[0]) => {
    const before = requests
    now = Date.parse(step.at)
    published = step.published
    const said = await verifyWebhook({ headers, body }, keys).then(
      result => (result.verified ? 'verified' : result.reason),
      () => 'unavailable',
    )
    return { said, fetches: requests > before }
  }
}

test('TypeScript: every webhook of the vectors is verified, or rejected for its reason', async t => {
  for (const { name, steps } of receivers) {
    const take = startReceiver()
    for (const step of steps)
      t.deepEqual(await take(step, step), { said: step.expected, fetches: step.fetches }, `${name}: ${step.name}`)
  }
  t.true(receivers.length > 40)
})

test('TypeScript: headers may be the platform’s own, and the body parsed', async t => {
  const steps = receivers.filter(({ steps }) => steps.length === 1).flatMap(({ steps }) => steps)
  const parsed = steps.filter(({ expected, body }) => expected !== 'malformed_body' && body !== '')
  for (const step of parsed) {
    const given = { headers: new Headers(step.headers), body: JSON.parse(step.body) as unknown }
    t.is((await startReceiver()(step, given)).said, step.expected, step.name)
  }
  t.true(parsed.length > 25)
})

test('TypeScript: the body may be bytes, and each header a list', async t => {
  for (const { name, steps } of receivers) {
    const take = startReceiver()
    for (const [n, step] of steps.entries()) {
      const lists = Object.entries(step.headers).map(([key, value]) => [key, n % 2 ? [value] : [value, value]])
      const body = n % 2 ? Buffer.from(step.body) : new TextEncoder().encode(step.body)
      const given = { headers: Object.fromEntries(lists) as Record<string, string[]>, body }
      t.is((await take(step, given)).said, step.expected, `${name}: ${step.name}`)
    }
  }
  const [step] = receivers[0]?.steps ?? []
  if (step === undefined) return t.fail()
  const headers = { ...step.headers, 'X-Signature': [step.headers['X-Signature'] ?? '', 'other'] }
  t.is((await startReceiver()(step, { headers, body: step.body })).said, 'missing_header')
})

test('TypeScript: webhooks that arrive together cause one request, and a key set that is none is no answer', async t => {
  const [step] = receivers[0]?.steps ?? []
  if (step === undefined) return t.fail()
  let requests = 0
  const answer = Promise.withResolvers<Response>()
  const now = () => Date.parse(step.at)
  const waiting = openKeySet('https://attestor.invalid/', {
    now,
    fetch: () => [answer.promise, requests++][0] as never,
  })
  const both = [verifyWebhook(step, waiting), verifyWebhook(step, waiting)]
  answer.resolve(Response.json(key_sets.usual))
  t.deepEqual(await Promise.all(both.map(async one => (await one).verified)), [true, true])
  t.is(requests, 1)
  for (const body of ['{}', '<html>']) {
    const keys = openKeySet('https://attestor.invalid/', { now, fetch: async () => new Response(body) })
    await t.throwsAsync(verifyWebhook(step, keys), undefined, body)
  }
})

import { request } from 'node:http'
import test from 'ava'
import { startIntegrator } from '../../lab/demo/processes.ts'
import { openSideBySide } from '../../lab/demo/side_by_side.ts'
import { commandLine } from '../../src/identity/operators/audit.ts'
import { createOperator } from '../../src/identity/operators/operators.ts'
import { sqlite } from '../database.ts'
import { openTestRig } from '../service/rig.ts'

/** The status of a call with a host's name that only a stranger's page would send. */
function askAs(host: string, url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { Host: host } }, response => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

test('One page of the demo frames the shop, its customer, the console and the charts, and no other page may', async t => {
  const integrator = await startIntegrator()
  t.teardown(integrator.stop)
  const rig = await openTestRig(t, sqlite, { WEBHOOK_ALLOW_HOSTS: new URL(integrator.url).host }, 'test')
  const { service, url } = rig.node()
  const { name, password, totp } = await createOperator(service, { name: 'demo', role: 'admin' }, commandLine)
  integrator.connect({ base_url: url, account: rig.account })
  const login = { name, password, totp_uri: totp.uri }
  const together = await openSideBySide({
    integrator,
    service: { listens: url, public_url: url },
    login,
    now: rig.clock.now,
  })
  t.teardown(together.stop)

  const page = await (await fetch(together.url)).text()
  const [shop = '', front = '', charts = ''] = [...page.matchAll(/src="([^"]+)"/g)].map(([, source]) => source ?? '')
  t.deepEqual(
    [front, charts].map(one => new URL(one).pathname),
    ['/console', '/console/charts'],
  )
  for (const framed of [front, charts]) {
    const answer = await fetch(framed)
    t.is(answer.status, 200)
    t.is(answer.headers.get('x-frame-options'), null)
    t.regex(answer.headers.get('content-security-policy') ?? '', new RegExp(`frame-ancestors ${together.url} `))
  }
  const { origin } = new URL(front)
  const readMe = async () =>
    (await fetch(`${origin}/console/api/me`, { headers: { 'X-Attestor-Console': '1' } })).json() as Promise<object>
  t.like(await readMe(), { name: 'demo', role: 'admin' }, 'nobody has to log in')
  await rig.advance(31 * 60_000)
  t.false('name' in (await readMe()), 'the session has ended')
  await Promise.all([fetch(front), fetch(charts)])
  t.like(await readMe(), { name: 'demo', role: 'admin' }, 'nor later')

  t.regex(await (await fetch(shop)).text(), /Sample shop/)
  const begun = await fetch(`${shop}/verifications`, { method: 'POST', redirect: 'manual', headers: { Origin: shop } })
  t.is(begun.status, 303, await begun.text())
  t.true(begun.headers.get('location')?.startsWith(`${origin}/verify`), 'the customer goes on in the same frame')

  const headers = { Origin: 'https://elsewhere.example', 'X-Attestor-Console': '1' }
  t.is((await fetch(`${origin}/console/api/me`, { headers })).status, 403)
  t.is(await askAs('elsewhere.example', `${origin}/console/api/me`), 403)
})

import test from 'ava'
import { commandLine } from '../../src/identity/operators/audit.ts'
import { createOperator } from '../../src/identity/operators/operators.ts'
import { eachDialect } from '../database.ts'
import { type Door, openDoor } from '../http/door.ts'
import { identityClient, openProvider } from './identity_provider.ts'
import { api, pageHeaders } from './rig.ts'

/** A browser without script: it keeps cookies by host, and follows where it is sent. */
function openVisitor() {
  const cookies = new Map<string, Map<string, string>>()
  const visit = async (
    url: string,
    form: Record<string, string> | null = null,
  ): Promise<{ url: string; text: string }> => {
    const { host } = new URL(url)
    const own = cookies.get(host) ?? new Map<string, string>()
    cookies.set(host, own)
    const Cookie = [...own].map(pair => pair.join('=')).join('; ')
    const body = form === null ? {} : { method: 'POST', body: new URLSearchParams(form) }
    const response = await fetch(url, { ...body, headers: { Cookie }, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') own.delete(name)
      else own.set(name, value)
    }
    const to = response.headers.get('location')
    return to === null ? { url, text: await response.text() } : visit(new URL(to, url).href)
  }
  return { visit, cookies }
}

type Visitor = ReturnType<typeof openVisitor>

/** Answers the provider's pages until it leads back. */
async function signIn({ visit }: Visitor, door: Door, login: string): Promise<string> {
  let at = await visit(`${door.url}${api}/sign-on/begin`)
  for (const prompt of ['login', 'consent']) {
    const action = /<form[^>]* action="([^"]+)"/.exec(at.text)?.[1]
    if (action === undefined) return at.url
    at = await visit(new URL(action, at.url).href, { prompt, login, password: 'any' })
  }
  return at.url
}

for (const engine of eachDialect)
  test(`On ${engine.name} operators sign in by the company’s identity provider, in the role that it says`, async t => {
    const people: Record<string, readonly string[]> = {
      ada: ['staff', 'kyc-admins'],
      bob: ['kyc-viewers'],
      eve: ['staff'],
      taken: ['kyc-admins'],
    }
    const provider = await openProvider(t, people)
    const door = await openDoor(
      engine,
      { operatorsExist: () => Promise.resolve(true) },
      {
        provider: {
          ...identityClient,
          issuer: new URL(provider.issuer),
          roles_claim: 'groups',
          role_names: { viewer: 'kyc-viewers', reviewer: 'kyc-reviewers', admin: 'kyc-admins' },
        },
      },
    )
    t.teardown(door.close)
    provider.serve(`${door.url}${api}/sign-on/callback`)
    t.deepEqual((await door.call('GET', `${api}/sign-on`)).body, { is_offered: true })
    const me = async ({ cookies }: Visitor) => {
      const own = cookies.get(new URL(door.url).host) ?? new Map<string, string>()
      const Cookie = [...own].map(pair => pair.join('=')).join('; ')
      return door.call('GET', `${api}/me`, { headers: { Cookie } })
    }

    const ada = openVisitor()
    t.is(await signIn(ada, door, 'ada'), `${door.url}/console`)
    const first = await me(ada)
    t.like(first.body, { name: 'ada', role: 'admin' })

    const bob = openVisitor()
    await signIn(bob, door, 'bob')
    t.like((await me(bob)).body, { name: 'bob', role: 'viewer' })
    people.bob = ['kyc-reviewers']
    const later = openVisitor()
    await signIn(later, door, 'bob')
    t.like((await me(later)).body, { name: 'bob', role: 'reviewer' }, 'the role is that of the newest sign-in')
    t.is((await me(later)).body.operator_id, (await me(bob)).body.operator_id, 'the same operator')

    const eve = openVisitor()
    t.is(await signIn(eve, door, 'eve'), `${door.url}/console?sign_in=refused`, 'no role, no session')
    t.is((await me(eve)).status, 401)
    await createOperator(door.service, { name: 'taken', role: 'viewer' }, commandLine)
    t.is(await signIn(openVisitor(), door, 'taken'), `${door.url}/console?sign_in=taken`, 'a name links nobody')

    const own = ada.cookies.get(new URL(door.url).host) ?? new Map<string, string>()
    const headers = { ...pageHeaders(door), Cookie: [...own].map(pair => pair.join('=')).join('; ') }
    const disabled = await door.call('POST', `${api}/operator/${(await me(bob)).body.operator_id}/disable`, { headers })
    t.is(disabled.status, 200, disabled.text)
    t.is(await signIn(openVisitor(), door, 'bob'), `${door.url}/console?sign_in=refused`)

    const stranger = openVisitor()
    const forged = await stranger.visit(`${door.url}${api}/sign-on/callback?code=abc&state=def`)
    t.is(forged.url, `${door.url}/console?sign_in=refused`, 'nobody began it in this browser')
    const log = (await door.call('GET', `${api}/audit`, { headers })).body.data as { action: string; details: object }[]
    t.true(
      log.some(({ action, details }) => action === 'login' && JSON.stringify(details).includes('identity_provider')),
    )
    t.true(log.some(({ action }) => action === 'login_refused'))
  })

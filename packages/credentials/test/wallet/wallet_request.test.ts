import { createHash } from 'node:crypto'
import test from 'ava'
import { readCbor } from '../../encoding/cbor.ts'
import { readRequestObject } from '../../synthetic/wallet_holder.ts'
import { decryptOnce, encryptOnce } from '../../wallet/hpke.ts'
import { transcriptOfBrowser, transcriptOfLink } from '../../wallet/session_transcript.ts'
import {
  createWalletRequest,
  describeWalletLink,
  listDigitalRequests,
  openWalletAnswer,
  signRequestObject,
} from '../../wallet.ts'
import { answer, claims, createRequest, mdl, minute, now, origin, party, random, sdJwt } from './invented_wallet.ts'

function thumbprintOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

test('the transcripts are those that OpenID4VP 1.0 prints', t => {
  const x = 'DxiH5Q4Yx3UrukE2lWCErq8N8bqC9CHLLrAwLz5BmE0'
  const y = 'XtLM4-3h5o3HUH0MHVJV0kyq0iBlrBwlh8qEDMZ4-Pc'
  const shared = {
    nonce: 'exc7gBkxjx1rdc9udRrveKvSsJIq80avlXeLHhGwqtA',
    thumbprint: thumbprintOf(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y })),
  }
  t.is(
    transcriptOfBrowser({ origin: 'https://example.com', ...shared }).toString('hex'),
    '83f6f682764f70656e4944345650444341504948616e646f7665725820fbece366f4212f9762c74cfdbf83b8c69e371d5d68cea09cb4c48ca6daab761a',
  )
  const link = { client_id: 'x509_san_dns:example.com', response_uri: 'https://example.com/response', ...shared }
  t.is(
    transcriptOfLink(link).toString('hex'),
    '83f6f682714f70656e494434565048616e646f7665725820048bc053c00442af9b8eed494cefdd9d95240d254b046b11b68013722aad38ac',
  )
})

test('HPKE is that of RFC 9180, A.3.1', t => {
  const hex = (digits: string): Buffer => Buffer.from(digits, 'hex')
  const ephemeral = hex('4995788ef4b9d6132b249ce59a77281493eb39af373d236a1fe415cb0c2d7beb')
  const secret = hex('f3ce7fdae57e1a310d87f1ebbde6f328be0a99cdbcadf4d6589cf29de4b8ffd2')
  const recipient = hex(
    '04fe8c19ce0905191ebc298a9245792531f26f0cece2460639e8bc39cb7f706a826a779b4cf969b8a0e539c7f62fb3d30ad6aa8f80e30f1d128aafd68a2ce72ea0',
  )
  const info = hex('4f6465206f6e2061204772656369616e2055726e')
  const message = Buffer.from('Beauty is truth, truth beauty')
  const made = encryptOnce(ephemeral, recipient, message, info)
  t.is(
    made.enc.toString('hex'),
    '04a92719c6195d5085104f469a8b9814d5838ff72b60501e2c4466e5e67b325ac98536d7b61a1af4b78e5b7f951c0900be863c403ce65c9bfcb9382657222d18c4',
  )
  t.deepEqual(decryptOnce('x', secret, made, info), message)
  for (const wrong of [
    { ...made, enc: Buffer.alloc(65, 4) },
    { ...made, enc: made.enc.subarray(1) },
    { ...made, ciphertext: Buffer.alloc(3) },
    { ...made, ciphertext: Buffer.from(made.ciphertext).fill(1, 0, 1) },
  ])
    t.throws(() => decryptOnce('response', secret, wrong, info), { message: 'response: must be encrypted for our key' })
  t.throws(() => decryptOnce('response', secret, made, Buffer.from('another')), { name: 'UnreadableFileError' })
})

test('a request has a nonce and a key of its own, and is JSON', t => {
  const requests = Array.from({ length: 20 }, () => createRequest())
  t.is(new Set(requests.map(({ nonce }) => nonce)).size, 20)
  t.is(new Set(requests.map(({ key }) => key.d)).size, 20)
  for (const request of requests) {
    t.true(Buffer.from(request.nonce, 'base64url').length >= 16)
    t.deepEqual(JSON.parse(JSON.stringify(request)), request)
  }
})

test('the requested claims are in the request of every protocol, and no others', t => {
  const request = createRequest({ query: { credentials: ['MDL'], claims: ['last_name', 'sex'], age_over: null } })
  const [signed, unsigned, annexC] = listDigitalRequests(request, party)
  t.deepEqual(
    [signed?.protocol, unsigned?.protocol, annexC?.protocol],
    ['openid4vp-v1-signed', 'openid4vp-v1-unsigned', 'org-iso-mdoc'],
  )
  const asked = {
    credentials: [
      {
        id: 'mdl',
        format: 'mso_mdoc',
        meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
        claims: [
          { id: 'last_name', path: ['org.iso.18013.5.1', 'family_name'], intent_to_retain: true },
          { id: 'sex', path: ['org.iso.18013.5.1', 'sex'], intent_to_retain: true },
        ],
        claim_sets: [['last_name', 'sex'], ['last_name']],
      },
    ],
  }
  t.like(unsigned?.data, {
    response_type: 'vp_token',
    response_mode: 'dc_api.jwt',
    nonce: request.nonce,
    dcql_query: asked,
  })
  t.false('client_id' in (unsigned?.data ?? {}))
  const [object] = [signed?.data].map(data => readRequestObject((data as { request: string }).request))
  t.like(object, { client_id: request.client_id, expected_origins: [origin], dcql_query: asked, nonce: request.nonce })
  const [deviceRequest = ''] = [annexC?.data].map(data => (data as { deviceRequest: string }).deviceRequest)
  t.is(readCbor(Buffer.from(deviceRequest, 'base64url')).type, 'map')
  const names = Buffer.from(deviceRequest, 'base64url').toString('latin1')
  for (const name of ['readerAuth', 'org.iso.18013.5.1.mDL', 'family_name', 'sex']) t.true(names.includes(name), name)
  t.false(names.includes('given_name'))
})

test('an age is asked of every credential that knows it, and not to be kept', t => {
  const request = createRequest({ query: { credentials: ['AGE', 'MDL', 'PID'], claims: [], age_over: 18 } })
  const [data] = listDigitalRequests(request, null).map(one => one.data) as readonly {
    dcql_query: { credentials: { id: string; claims: object[] }[] }
  }[]
  const asked = (data?.dcql_query.credentials ?? []).map(one => [one.id, one.claims])
  t.deepEqual(Object.fromEntries(asked), {
    pid_sd_jwt: [{ id: 'age', path: ['age_equal_or_over', '18'] }],
    pid_mdoc: [{ id: 'age', path: ['eu.europa.ec.eudi.pid.1', 'age_over_18'], intent_to_retain: false }],
    mdl: [{ id: 'age', path: ['org.iso.18013.5.1', 'age_over_18'], intent_to_retain: false }],
    age: [{ id: 'age', path: ['eu.europa.ec.av.1', 'age_over_18'], intent_to_retain: false }],
  })
})

test('a request without a certificate is not signed, and its link is the request', t => {
  const request = createRequest({ party: null })
  t.is(request.client_id, `redirect_uri:${request.response_uri}`)
  t.deepEqual(
    listDigitalRequests(request, null).map(({ protocol }) => protocol),
    ['openid4vp-v1-unsigned', 'org-iso-mdoc'],
  )
  const link = new URL(describeWalletLink(request, null))
  t.is(link.protocol, 'openid4vp:')
  t.is(link.searchParams.get('client_id'), request.client_id)
  t.is(link.searchParams.get('response_mode'), 'direct_post.jwt')
  t.truthy(JSON.parse(link.searchParams.get('dcql_query') ?? ''))
})

test('attestations of the registration are in signed requests', t => {
  const verifier_info = [{ format: 'registrar_dataset', data: 'eyJ' }]
  const object = readRequestObject(signRequestObject(createRequest(), { ...party, verifier_info }, null))
  t.like(object, { verifier_info })
})

test('a query that no credential can answer is refused', t => {
  const query = { credentials: ['AGE'], claims, age_over: null } as const
  const options = { origin, response_uri: origin, party: null, random, now }
  t.throws(() => createWalletRequest({ ...options, query }), { instanceOf: TypeError, message: /^query: must/ })
})

test('an answer must be one that was asked, in the way that it was asked', async t => {
  const request = createRequest()
  const sent = await answer(request, mdl, 'openid4vp-v1-unsigned')
  const { response } = sent.data as { response: string }
  const other = await answer(createRequest(), mdl, 'openid4vp-v1-unsigned')
  const annexC = await answer(createRequest(), mdl, 'org-iso-mdoc')
  const direct = { protocol: 'direct_post.jwt', data: {} } as const
  const clear = createRequest({ is_encrypted: false })
  const token = (await answer(clear, sdJwt, 'openid4vp-v1-unsigned')).data as { vp_token: Record<string, string[]> }
  const cases = [
    [request, other, 'response: must be a JWE for the key of the request'],
    [request, annexC, 'response: must be encrypted for our key'],
    [request, { ...sent, data: { vp_token: {} } }, 'response: is missing: the answer must be encrypted'],
    [request, { ...sent, data: null }, 'data: must be an object'],
    [request, { ...sent, data: { response: 7 } }, 'response: must be a string of 1 to 2097152 characters'],
    [request, { ...sent, protocol: 'org-iso-mdoc' }, 'response: must be base64url'],
    [request, { protocol: 'direct_post', data: { vp_token: '{}' } }, 'protocol: must be one that the request offered'],
    [
      createRequest({ party: null }),
      { ...sent, protocol: 'openid4vp-v1-signed' },
      'protocol: must be one that the request offered',
    ],
    [request, direct, 'response: is missing: the answer must be encrypted'],
    [clear, { protocol: 'direct_post', data: { vp_token: '{' } }, 'vp_token: must be JSON'],
    [clear, { ...sent, data: { vp_token: {} } }, 'vp_token: must answer one query'],
    [clear, { ...sent, data: { vp_token: { another: ['x'] } } }, 'vp_token: must answer a query of the request'],
    [clear, { ...sent, data: { vp_token: { mdl: 'x' } } }, 'vp_token.mdl: must be an array of one presentation'],
    [clear, { ...sent, data: { vp_token: { ...token.vp_token, mdl: ['x'] } } }, 'vp_token: must answer one query'],
  ] as const
  for (const [asked, one, message] of cases)
    await t.throwsAsync(openWalletAnswer(asked, one, now + minute), { name: 'UnreadableFileError', message })
  t.truthy(response)
})

test('a wallet may say that it does not answer', async t => {
  const request = createRequest()
  for (const protocol of ['openid4vp-v1-unsigned', 'direct_post', 'direct_post.jwt'] as const)
    t.deepEqual(await openWalletAnswer(request, { protocol, data: { error: 'access_denied' } }, now), {
      kind: 'REFUSED',
      error: 'access_denied',
    })
})

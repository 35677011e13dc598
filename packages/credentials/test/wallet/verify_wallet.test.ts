import test from 'ava'
import {
  age,
  answer,
  createRequest,
  issuers,
  judge,
  listDoubts,
  mdl,
  pid,
  portrait,
  sdJwt,
  trust,
} from './invented_wallet.ts'

const protocols = ['openid4vp-v1-unsigned', 'openid4vp-v1-signed', 'org-iso-mdoc', 'direct_post.jwt'] as const

for (const protocol of protocols)
  for (const [name, credential] of Object.entries({ mdl, pid, sdJwt })) {
    if (protocol === 'org-iso-mdoc' && name === 'sdJwt') continue
    test(`a wallet proves ${name} by ${protocol}`, async t => {
      const request = createRequest()
      const verified = await judge(request, await answer(request, credential, protocol))
      t.deepEqual(listDoubts(verified), [])
      t.deepEqual(
        verified.findings.checks.map(check => check.name),
        ['answer', 'binding', 'signature', 'issuer', 'validity', 'revocation'],
      )
      t.like(verified.findings.claims, {
        last_name: 'Eriksson',
        first_name: 'Anna Maria',
        date_of_birth: '1990-08-12',
        sex: 'F',
        nationality: 'SE',
        document_number: 'L898902C3',
        personal_number: null,
        expiry_date: '2034-02-01',
        issuing_country: 'SE',
      })
      t.deepEqual(verified.findings.withheld, [])
      t.deepEqual(verified.portrait, portrait)
      t.is(verified.findings.document_type, name === 'mdl' ? 'DRIVING_LICENSE' : 'ID_CARD')
      t.is(verified.findings.root, (name === 'mdl' ? issuers.MDL : issuers.PID).anchor.certificate.fingerprint)
    })
  }

for (const protocol of ['openid4vp-v1-unsigned', 'org-iso-mdoc', 'direct_post.jwt'] as const)
  test(`a device proves itself with a MAC by ${protocol}`, async t => {
    const request = createRequest()
    t.deepEqual(listDoubts(await judge(request, await answer(request, mdl, protocol, { is_mac: true }))), [])
  })

test('a proof of age discloses an age, and nothing else', async t => {
  const query = { credentials: ['AGE', 'MDL', 'PID'], claims: [], age_over: 18 } as const
  for (const credential of [age, mdl, sdJwt]) {
    const request = createRequest({ query })
    const verified = await judge(request, await answer(request, credential, 'openid4vp-v1-unsigned'))
    t.deepEqual(listDoubts(verified), [])
    t.deepEqual(verified.findings.ages, [{ over: 18, answer: true }])
    t.deepEqual(
      Object.values(verified.findings.claims).filter(value => value !== null),
      [],
    )
    t.deepEqual([verified.findings.disclosed, verified.portrait], [[], null])
  }
})

test('an issuer that was not imported, or for something else, vouches for nothing', async t => {
  const request = createRequest()
  const sent = await answer(request, mdl, 'openid4vp-v1-unsigned')
  t.deepEqual(listDoubts(await judge(request, sent, trust([issuers.PID.anchor]))), [
    'issuer UNDETERMINED NO_TRUST_ANCHOR',
  ])
  const wrong = { ...issuers.MDL.anchor, may_sign: ['PID' as const] }
  t.deepEqual(listDoubts(await judge(request, sent, trust([wrong]))), ['issuer FAILED SIGNER_NOT_ALLOWED'])
})

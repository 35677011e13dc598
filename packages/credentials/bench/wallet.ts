/**
 * Measures what verifying a wallet's answer costs, and what answers of others come to: `node packages/credentials/bench/wallet.ts
 * [--clones DIR] [--bits NAME]`. The files are named in `wallet_sources.json`, and are found in clones as `main.ts` finds its own.
 * With `--bits` every bit of the answers whose name begins so is changed, which takes a minute each: `--bits ''` is all four.
 */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { readCertificate } from '../chip/certificates.ts'
import { answerDigital, createWalletIssuer, issueMdoc, issueSdJwt } from '../synthetic.ts'
import {
  createWalletRequest,
  type DigitalRequest,
  listDigitalRequests,
  openWalletAnswer,
  verifyWalletAnswer,
} from '../wallet.ts'
import { tryOutsideWallets } from './wallet_outside.ts'

const rounds = 200
const now = Date.UTC(2026, 10, 28)
const origin = 'https://verify.example'
const person = { portrait: Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(20_000, 7)]) }

async function measure(run: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / rounds
}

const issuers = { MDL: createWalletIssuer('MDL', { country: 'SE' }), PID: createWalletIssuer('PID', { country: 'SE' }) }
const credentials = {
  'mdoc, a licence with a portrait of 20 kB': issueMdoc(issuers.MDL, { now, person }),
  'SD-JWT VC, identification data with the same portrait': issueSdJwt(issuers.PID, { now, person }),
}
const claims = ['last_name', 'first_name', 'date_of_birth', 'document_number', 'issuing_country', 'portrait'] as const
const query = { credentials: ['PID', 'MDL'], claims, age_over: null } as const

async function tryOne(
  name: string,
  credential: (typeof credentials)[keyof typeof credentials],
  asked: DigitalRequest['protocol'],
  is_mac: boolean,
): Promise<void> {
  const request = createWalletRequest({ query, origin, response_uri: origin, party: null, random: randomBytes, now })
  const one = listDigitalRequests(request, null).find(({ protocol }) => protocol === asked)
  if (one === undefined) throw new Error(`${asked} is not asked`)
  const sent = { protocol: asked, data: await answerDigital(credential, one, origin, { now, is_mac }) }
  const opened = await openWalletAnswer(request, sent, now)
  if (opened.kind === 'REFUSED') throw new Error(opened.error)
  const opening = await measure(() => openWalletAnswer(request, sent, now))
  const verifying = await measure(() => {
    // Certificates are read from their bytes, as they come from the database.
    const certificate = readCertificate(credential.issuer.root.certificate)
    const trust = {
      anchors: [{ ...credential.issuer.anchor, certificate }],
      revocation_lists: [],
      status_lists: new Map(),
    }
    const { findings } = verifyWalletAnswer(request, opened, trust, now)
    if (findings.checks.some(({ status }) => status !== 'PASSED')) throw new Error(`${name} did not pass`)
  })
  const way = `${asked}${is_mac ? ', MAC' : ''}`
  console.log(`${name}, ${way}: ${verifying.toFixed(2)} ms of CPU, and ${opening.toFixed(2)} to decrypt it`)
}

const { values } = parseArgs({ options: { clones: { type: 'string' }, bits: { type: 'string' } } })
for (const [name, credential] of Object.entries(credentials)) {
  await tryOne(name, credential, 'openid4vp-v1-unsigned', false)
  if (credential.format === 'MDOC') await tryOne(name, credential, 'openid4vp-v1-unsigned', true)
  if (credential.format === 'MDOC') await tryOne(name, credential, 'org-iso-mdoc', false)
}
if (values.clones !== undefined) tryOutsideWallets(values.clones, { bits: values.bits ?? null })

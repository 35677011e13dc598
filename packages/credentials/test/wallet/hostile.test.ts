import { createHash } from 'node:crypto'
import { seeded } from '@attestor/vision/synthetic'
import test from 'ava'
import fc from 'fast-check'
import { rounds } from '../../../../test/tier.ts'
import { readOrNull, UnreadableFileError } from '../../chip/unreadable_file_error.ts'
import { readCbor } from '../../encoding/cbor.ts'
import { type CborValue, writeCbor } from '../../encoding/cbor_writer.ts'
import { issueStatusToken, issueTrustedEntities, issueVical, type SyntheticCredential } from '../../synthetic.ts'
import type { VerifiedAnswer } from '../../wallet/verify_wallet_answer.ts'
import {
  openWalletAnswer,
  readStatusExpiry,
  readWalletTrustFile,
  verifyWalletAnswer,
  type WalletPresentation,
} from '../../wallet.ts'
import { mutate } from '../chip/mutate.ts'
import { answer, createRequest, issuers, listDoubts, mdl, minute, now, pid, sdJwt, trust } from './invented_wallet.ts'

const maxMilliseconds = 50

/** AVA gives up on a file that reports nothing for minutes, so each part is a test of its own. */
const parts = Array.from({ length: rounds(1, 20) }, (_, part) => part)

function measureOnce(run: () => void): number {
  const before = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Runs one call, and again if it took too long: the compiler and other threads of the process cost CPU too. Returns the least, in milliseconds. */
function measure(run: () => void): number {
  const first = measureOnce(run)
  return first < maxMilliseconds ? first : Math.min(first, measureOnce(run), measureOnce(run))
}

const request = createRequest({ is_encrypted: false })

async function present(credential: SyntheticCredential): Promise<WalletPresentation> {
  const opened = await openWalletAnswer(
    request,
    await answer(request, credential, 'openid4vp-v1-unsigned'),
    now + minute,
  )
  if (opened.kind === 'REFUSED') throw new Error(opened.error)
  return opened
}

const trusted = trust()

/** Judges some bytes instead of a presentation's own. Returns null where they are refused. */
function judge(presentation: WalletPresentation, text: string): VerifiedAnswer | null {
  return readOrNull(() => verifyWalletAnswer(request, { ...presentation, presentation: text }, trusted, now + minute))
}

function describeClaims({ findings, portrait }: VerifiedAnswer): string {
  const { claims, ages, disclosed, withheld, credential_type } = findings
  const digest = portrait === null ? null : createHash('sha256').update(portrait).digest('hex')
  return JSON.stringify([claims, ages, disclosed, withheld, credential_type, digest])
}

/** Bytes of a presentation as it is sent, and the text that they become. */
const forms = {
  mdoc: {
    toBytes: (text: string) => Buffer.from(text, 'base64url'),
    toText: (bytes: Buffer) => bytes.toString('base64url'),
  },
  sdJwt: { toBytes: (text: string) => Buffer.from(text), toText: (bytes: Buffer) => bytes.toString('latin1') },
} as const

for (const [name, credential] of Object.entries({ mdl, pid, sdJwt }))
  test(`no changed bit of ${name} proves another claim`, async t => {
    const presentation = await present(credential)
    const { toBytes, toText } = credential.format === 'MDOC' ? forms.mdoc : forms.sdJwt
    const whole = judge(presentation, presentation.presentation)
    t.truthy(whole)
    if (whole === null) return
    const bytes = toBytes(presentation.presentation)
    const random = seeded(490)
    let alike = 0
    for (let round = 0; round < rounds(100, 8000); round++) {
      const changed = Buffer.from(bytes)
      const at = random.below(bytes.length)
      changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8))
      const judged = judge(presentation, toText(changed))
      if (judged === null || listDoubts(judged).length > 0) continue
      alike++
      t.is(describeClaims(judged), describeClaims(whole), `byte ${at}`)
    }
    // Few bytes are unsigned, such as names of certificates' own extensions.
    t.true(alike < rounds(100, 8000) / 20, `${alike} proven alike`)
  })

for (const part of parts)
  test.serial(`mutated answers are refused without a crash, and within their time, part ${part}`, async t => {
    const random = seeded(491 + part)
    let [most, proven] = [0, 0]
    for (const credential of [mdl, sdJwt]) {
      const presentation = await present(credential)
      const { toBytes, toText } = credential.format === 'MDOC' ? forms.mdoc : forms.sdJwt
      const bytes = toBytes(presentation.presentation)
      for (let round = 0; round < rounds(300, 5000); round++) {
        const text = toText(mutate(bytes, random))
        most = Math.max(
          most,
          measure(() => {
            const judged = judge(presentation, text)
            if (judged !== null && listDoubts(judged).length === 0) proven++
          }),
        )
      }
    }
    t.log(`the slowest: ${most.toFixed(1)} ms of CPU; ${proven} proven`)
    t.true(most < maxMilliseconds, `${most} ms`)
    t.true(proven < rounds(600, 10_000) / 20, `${proven} proven`)
  })

/** Draws any CBOR, and bytes that are nearly CBOR. */
const anyCbor = fc.letrec<{ value: CborValue }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.integer(),
    fc.string(),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes)),
    fc.array(tie('value'), { maxLength: 6 }),
    fc
      .array(fc.tuple(fc.oneof(fc.string(), fc.integer()), tie('value')), { maxLength: 6 })
      .map(entries => new Map(entries)),
    fc.record({ tag: fc.constantFrom(0, 1, 18, 24, 1004), value: tie('value') }),
    tie('value').map(value => ({ tag: 24, value: writeCbor(value) })),
  ),
})).value

const anyBytes = fc.oneof(
  anyCbor.map(writeCbor),
  fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
  fc.tuple(anyCbor.map(writeCbor), fc.nat(), fc.nat(255)).map(([bytes, at, value]) => {
    bytes[at % bytes.length] = value
    return bytes
  }),
)

test('CBOR that is written is read back unchanged', t => {
  fc.assert(
    fc.property(anyCbor, value => {
      const bytes = writeCbor(value)
      const read = readOrNull(() => readCbor(bytes))
      // A strict reader refuses more: a map whose keys are the same in a text and a number are not.
      return read === null || read.raw.equals(bytes)
    }),
    { numRuns: rounds(400, 20_000) },
  )
  t.pass()
})

for (const part of parts)
  test.serial(`drawn CBOR is refused without a crash, and within its time, part ${part}`, async t => {
    const presentation = await present(mdl)
    const options = { may_sign: ['MDL' as const], anchors: [issuers.MDL.anchor], now }
    let most = 0
    fc.assert(
      fc.property(anyBytes, bytes => {
        most = Math.max(
          most,
          measure(() => {
            judge(presentation, bytes.toString('base64url'))
            readOrNull(() => readWalletTrustFile(bytes, options))
            readStatusExpiry(bytes, 'https://issuer.example', now)
          }),
        )
        return true
      }),
      { numRuns: rounds(600, 50_000), endOnFailure: true },
    )
    t.log(`the slowest: ${most.toFixed(1)} ms of CPU`)
    t.true(most < maxMilliseconds, `${most} ms`)
  })

/** An element of as many items as one may have. */
function writeWide(at: number): CborValue {
  const item = new Map<string, CborValue>([
    ['digestID', at],
    ['random', Buffer.alloc(16)],
    ['elementIdentifier', `wide ${at}`],
    ['elementValue', Array.from({ length: 5000 }, () => 0)],
  ])
  return { tag: 24, value: writeCbor(item) }
}

/** An answer with more elements of that kind than it may have together. */
const wideAnswer: CborValue = new Map<string, CborValue>([
  ['version', '1.0'],
  ['status', 0],
  [
    'documents',
    [
      new Map<string, CborValue>([
        ['docType', 'org.iso.18013.5.1.mDL'],
        [
          'deviceSigned',
          new Map<string, CborValue>([
            ['nameSpaces', { tag: 24, value: Buffer.from([0xa0]) }],
            ['deviceAuth', new Map()],
          ]),
        ],
        [
          'issuerSigned',
          new Map<string, CborValue>([
            ['nameSpaces', new Map([['org.iso.18013.5.1', Array.from({ length: 100 }, (_, at) => writeWide(at))]])],
            ['issuerAuth', []],
          ]),
        ],
      ]),
    ],
  ],
])

test('answers that are deep, wide or long are refused at once', async t => {
  const presentation = await present(mdl)
  const text = await present(sdJwt)
  const [head = '', ...rest] = text.presentation.split('~')
  const deep = Buffer.from(`${'['.repeat(5000)}${']'.repeat(5000)}`).toString('base64url')
  const hostile = [
    [presentation, Buffer.alloc(1_000_000, 0x81).toString('base64url')],
    [presentation, Buffer.concat([Buffer.from('9a000f4240', 'hex'), Buffer.alloc(1_000_000, 0)]).toString('base64url')],
    [presentation, Buffer.from('9bffffffffffffffff', 'hex').toString('base64url')],
    [presentation, Buffer.from('bf6161ff', 'hex').toString('base64url')],
    [presentation, ''],
    [presentation, writeCbor(wideAnswer).toString('base64url')],
    [text, '~'],
    [text, `${head}~`.repeat(1000)],
    [text, [head, ...Array.from({ length: 5000 }, () => rest[0] ?? ''), rest.at(-1)].join('~')],
    [text, [head, deep, rest.at(-1)].join('~')],
    [text, 'e'.repeat(3_000_000)],
  ] as const
  for (const [at, [of, sent]] of hostile.entries()) {
    let judged: VerifiedAnswer | null = null
    const took = measure(() => {
      judged = judge(of, sent)
    })
    t.is(judged, null)
    t.true(took < maxMilliseconds, `${at}: ${took} ms`)
  }
})

test('mutated lists are refused without a crash', t => {
  const random = seeded(499)
  const uri = 'https://issuer.example/statuses/1'
  const { signer, root } = issuers.PID
  const service = { certificate: root.certificate, type: 'http://uri.etsi.org/19602/SvcType/PID/Issuance' }
  const lists = [
    issueVical(signer, [{ certificate: root.certificate, types: ['eu.europa.ec.eudi.pid.1'] }], { now }),
    issueTrustedEntities(signer, [service], { next_at: now + minute }),
    issueStatusToken(signer, { uri, statuses: { 1: 1 }, now }),
    issueStatusToken(signer, { uri, statuses: { 1: 1 }, now }, 'CWT'),
  ]
  const options = { may_sign: [], anchors: [issuers.PID.anchor], now }
  for (const list of lists)
    for (let round = 0; round < rounds(100, 3000); round++) {
      const bytes = mutate(list, random)
      const took = measure(() => {
        try {
          readWalletTrustFile(bytes, options)
        } catch (error) {
          if (!(error instanceof UnreadableFileError)) throw error
        }
        readStatusExpiry(bytes, uri, now)
      })
      t.true(took < 2 * maxMilliseconds, `${took} ms`)
    }
})

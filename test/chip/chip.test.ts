import {
  createRoot,
  createState,
  issueRevocationList,
  issueSigner,
  personalise,
  personaliseLicence,
  type State,
  type SyntheticChip,
  specimenCard,
  specimenLicence,
  specimenPassport,
  usualAlgorithm,
} from '@attestor/credentials/synthetic'
import test, { type ExecutionContext } from 'ava'
import { importTrust } from '../../src/chip/import_trust.ts'
import { commandLine } from '../../src/identity/operators/audit.ts'
import { sweepCaptures } from '../../src/verification/erasure/retention.ts'
import type { Answer } from '../calls.ts'
import { eachDialect, oneDialect, type TestEngine } from '../database.ts'
import { kyc } from '../service/client.ts'
import { type Opened, openTestRig, type Rig } from '../service/rig.ts'

const state = createState()
/** The page that the scripted engine always reads. */
const specimen = { ...specimenPassport, fields: { ...specimenPassport.fields, expiry_date: '2049-04-15' } }
const authentication = { type: 'ecdsa', digest: 'sha256', curve: 'prime256v1' } as const

/** The scripted clock stands before most dates: chips are signed a day before. */
function signedYesterday(rig: Rig) {
  return { digest: 'sha256', signed_at: rig.clock.now() - 86_400_000 } as const
}

function base64({ files }: SyntheticChip): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, file.toString('base64')]))
}

interface ChipResult {
  readonly decision: string
  readonly codes: readonly string[]
  readonly chip: { readonly status: string; readonly checks: readonly { readonly name: string }[] } | undefined
}

async function decide(rig: Rig, { id, phone }: Opened): Promise<ChipResult> {
  await phone.complete()
  await rig.idle()
  const { result_data } = (await rig.view(id)) as {
    result_data: { decision: string; issues: { code: string }[]; document: { data: Pick<ChipResult, 'chip'> } }
  }
  const { decision, issues, document } = result_data
  return {
    decision,
    codes: issues.map(({ code }) => code).filter(code => code.startsWith('CHIP')),
    chip: document.data.chip,
  }
}

async function open(
  t: ExecutionContext,
  engine: TestEngine,
  trusted: readonly State['root'][] = [state.root],
): Promise<Rig> {
  const rig = await openTestRig(t, engine)
  if (trusted.length > 0)
    await importTrust(
      rig.node().service,
      trusted.map(({ certificate }) => certificate),
      commandLine,
    )
  return rig
}

async function begin(rig: Rig, chip: string): Promise<Opened> {
  const opened = await rig.open({ document_policy: { chip } })
  await opened.phone.capture()
  return opened
}

/** Reads a chip as an app does: asks for a challenge, and sends the files and the answer. */
async function read(opened: Opened, chip: SyntheticChip): Promise<Answer> {
  const { body } = await opened.phone.chipChallenge()
  const challenge = Buffer.from(String(body.challenge), 'base64')
  const active_authentication =
    chip.answer === null
      ? {}
      : {
          active_authentication: {
            challenge_id: body.challenge_id,
            response: chip.answer(challenge).toString('base64'),
          },
        }
  return opened.phone.chip({ ...base64(chip), ...active_authentication })
}

/** Returns the files that an auditor gets by the link of a capture. */
async function readFiles(rig: Rig, { id }: Opened): Promise<{ sod: string; data_groups: Record<string, string> }> {
  const token = await rig.token()
  const { data } = (await rig.call('GET', `${kyc}/transaction/${id}/captures`, { token })).body as {
    data: { id: string; kind: string }[]
  }
  const held = data.find(({ kind }) => kind === 'document_chip')
  const { body } = await rig.call('POST', `${kyc}/transaction/${id}/captures/${held?.id}/link`, { token })
  const answer = await rig.call('GET', new URL(String(body.url)).pathname)
  return JSON.parse(answer.text)
}

for (const engine of eachDialect)
  test(`${engine.name}: a chip that its state signed is proven, and its files are kept like pictures`, async t => {
    const rig = await open(t, engine)
    const opened = await begin(rig, 'REQUIRE')
    const chip = personalise(state, { ...specimen, authentication }, signedYesterday(rig))
    t.like((await opened.phone.session()).body, { chip: { policy: 'REQUIRE', state: 'missing', app_link: null } })
    const { sod, dg1, dg2 } = chip.files
    const answer = await read(opened, chip)
    t.like(answer, { status: 200, body: { accepted: true, changed_files: [], attempts_left: 9 } }, answer.text)
    t.like((await opened.phone.session()).body, { chip: { state: 'captured' } })
    const stored = await rig.rows("SELECT content FROM captures WHERE transaction_id = ? AND kind = 'chip'", opened.id)
    t.is(stored.length, 1)
    t.false(Buffer.from(stored[0]?.content as Uint8Array).includes('ERIKSSON'))
    const { decision, codes, chip: result } = await decide(rig, opened)
    t.deepEqual([decision, codes, result?.status], ['APPROVED', [], 'PASSED'])
    const kept = await readFiles(rig, opened)
    t.deepEqual(
      [kept.sod, kept.data_groups.dg1, kept.data_groups.dg2],
      [sod, dg1, dg2].map(file => file.toString('base64')),
    )
    const timeline = await rig.call('GET', `${kyc}/transaction/${opened.id}/events`, { token: await rig.token() })
    t.true(timeline.text.includes('CAPTURE_READ'))
    t.deepEqual(
      result?.checks.map(({ name }) => name),
      ['files', 'data_groups', 'signature', 'issuer', 'revocation', 'active_authentication', 'zone'].map(
        name => `chip_${name}`,
      ),
    )
  })

for (const engine of oneDialect) {
  test(`${engine.name}: a chip goes with the pictures, by retention and by an erasure`, async t => {
    const rig = await open(t, engine)
    const { store } = rig.node().service
    const [kept, erased] = [await begin(rig, 'PREFER'), await begin(rig, 'PREFER')]
    const chips = async () => (await rig.rows("SELECT id FROM captures WHERE kind = 'chip'")).length
    for (const opened of [kept, erased]) {
      await read(opened, personalise(state, specimen, signedYesterday(rig)))
      await decide(rig, opened)
    }
    t.is(await chips(), 2)
    const { status } = await rig.call('DELETE', `${kyc}/transaction/${erased.id}`, { token: await rig.token() })
    t.true(status < 300)
    await rig.idle()
    t.is(await chips(), 1)
    await sweepCaptures(store, rig.clock.now() + 1)
    t.is(await chips(), 0)
  })

  test(`${engine.name}: without a chip PREFER warns, REQUIRE leaves it open, and IGNORE asks for none`, async t => {
    const rig = await open(t, engine)
    const preferred = await decide(rig, await begin(rig, 'PREFER'))
    t.deepEqual([preferred.decision, preferred.codes], ['APPROVED', ['CHIP_NOT_READ']])
    const required = await decide(rig, await begin(rig, 'REQUIRE'))
    t.deepEqual(
      [required.decision, required.codes, required.chip?.status],
      ['UNDETERMINED', ['CHIP_NOT_READ'], 'NOT_EXECUTED'],
    )
    const unavailable = await begin(rig, 'REQUIRE')
    const step = async () => {
      const { chip, steps, next_step } = (await unavailable.phone.session()).body as {
        chip: object
        steps: { step: string }[]
        next_step: string | null
      }
      t.is(next_step, null, 'a chip keeps nobody from completing')
      return { ...chip, ...steps.find(one => one.step === 'document_chip') }
    }
    t.like(await step(), { required: false, state: 'missing', unavailable: null })
    t.is((await unavailable.phone.chip({ unavailable: 'NO_NFC' })).status, 200)
    t.like(await step(), { state: 'unavailable', unavailable: 'NO_NFC', attempts_left: 9 })
    t.is((await unavailable.phone.drop('document_chip')).status, 204)
    t.like(await step(), { state: 'missing', unavailable: null })
    t.is((await unavailable.phone.chip({ unavailable: 'NFC_OFF' })).status, 200)
    t.deepEqual((await decide(rig, unavailable)).codes, ['CHIP_NOT_READ'])
    const { result_data } = (await rig.view(unavailable.id)) as { result_data: { issues: object[] } }
    t.true(JSON.stringify(result_data.issues).includes('"reasons":["NFC_OFF"]'))
    const ignored = await begin(rig, 'IGNORE')
    t.is((await ignored.phone.chip({ unavailable: 'NO_NFC' })).status, 409)
    t.is((await ignored.phone.chipChallenge()).status, 409)
    t.is((await ignored.phone.session()).body.chip, null)
    t.false(JSON.stringify((await ignored.phone.session()).body.steps).includes('document_chip'))
    const result = await decide(rig, ignored)
    t.deepEqual([result.decision, result.chip], ['APPROVED', undefined])
  })

  test(`${engine.name}: a chip that is copied, another's, revoked or unknown is not believed`, async t => {
    const revoked = {
      root: createRoot('UT', usualAlgorithm),
      signer: issueSigner(createRoot('UT', usualAlgorithm), usualAlgorithm),
    }
    // The keys of one authority give each number once.
    const signer = issueSigner(revoked.root, usualAlgorithm, { serial: 8 })
    const rig = await open(t, engine, [state.root, revoked.root])
    const signed = signedYesterday(rig)
    const list = issueRevocationList(revoked.root, [signer.serial], signed.signed_at)
    await importTrust(rig.node().service, [list], commandLine)
    const genuine = personalise(state, { ...specimen, authentication }, signed)
    // The rules' own tests say what follows under each policy; here a fault of each kind reaches them.
    const judged = async (chip: SyntheticChip) => {
      const opened = await begin(rig, 'PREFER')
      const answer = await read(opened, chip)
      t.is(answer.status, 200, answer.text)
      const { decision, codes } = await decide(rig, opened)
      return [decision, ...codes]
    }
    // A copy has the files, but not the key.
    const copy = { ...genuine, answer: personalise(state, { ...specimen, authentication }, signed).answer }
    t.deepEqual(await judged(copy), ['REJECTED', 'CHIP_COPY_SUSPECTED'])
    const another = personalise(
      state,
      { ...specimenCard, fields: { ...specimenCard.fields, document_number: 'OTHER' } },
      signed,
    )
    t.deepEqual(await judged(another), ['REJECTED', 'CHIP_DATA_MISMATCH'])
    t.deepEqual(await judged(personalise({ root: revoked.root, signer }, specimen, signed)), [
      'REJECTED',
      'CHIP_CERTIFICATE_REVOKED',
    ])
    const stranger = personalise(createState(), specimen, signed)
    t.deepEqual(await judged(stranger), ['APPROVED', 'CHIP_ISSUER_UNKNOWN'])
  })

  test(`${engine.name}: a challenge is used once, in time, and by its own transaction`, async t => {
    const rig = await open(t, engine)
    const opened = await begin(rig, 'PREFER')
    const other = await begin(rig, 'PREFER')
    const chip = personalise(state, { ...specimen, authentication }, signedYesterday(rig))
    const { body } = await opened.phone.chipChallenge()
    const answered = {
      challenge_id: body.challenge_id,
      response: chip.answer?.(Buffer.from(String(body.challenge), 'base64')).toString('base64'),
    }
    const call = { ...base64(chip), active_authentication: answered }
    t.is((await other.phone.chip(call)).status, 410)
    t.is((await opened.phone.chip(call)).status, 200)
    t.is((await opened.phone.chip(call)).status, 410)
    const next = await opened.phone.chipChallenge()
    await rig.advance(10 * 60_000)
    const late = { ...call, active_authentication: { ...answered, challenge_id: next.body.challenge_id } }
    t.is((await opened.phone.chip(late)).status, 410)
  })

  test(`${engine.name}: the device learns at once which files are damaged, and may read again or take the chip back`, async t => {
    const rig = await open(t, engine)
    const opened = await begin(rig, 'PREFER')
    const { phone } = opened
    const chip = personalise(
      state,
      { ...specimen, portrait: Buffer.concat([specimen.portrait, Buffer.alloc(500_000, 7)]) },
      signedYesterday(rig),
    )
    const files = base64(chip)
    t.like((await phone.chip({ ...files, dg1: 'AAAA' })).body, { changed_files: ['dg1'], attempts_left: 9 })
    t.like((await phone.chip(files)).body, { changed_files: [], attempts_left: 8 })
    // Base64 as Android breaks it into lines, and as URLs have it.
    const broken = {
      ...files,
      dg1: files.dg1?.replace(/.{10}/g, '$&\r\n'),
      sod: files.sod?.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, ''),
    }
    t.like((await phone.chip(broken)).body, { changed_files: [], attempts_left: 7 })
    t.is((await phone.chip({ ...files, dg1: 'AAAAA' })).status, 400)
    const { files: licence } = personaliseLicence(state, { ...specimenLicence, authentication }, signedYesterday(rig))
    const sent = Object.fromEntries(Object.entries(licence).map(([name, file]) => [name, file.toString('base64')]))
    t.like((await phone.chip(sent)).body, { changed_files: [], attempts_left: 6 })
    t.like((await phone.chip({ ...sent, dg13: sent.dg6 })).body, { changed_files: ['dg13'], attempts_left: 5 })
    t.is((await phone.chip({ sod: sent.sod, dg1: sent.dg1, dg13: sent.dg13 })).status, 400)
    t.is((await phone.chip({ ...files, sod: 'AAAA' })).status, 422)
    t.is((await phone.chip({ sod: files.sod, dg1: files.dg1 })).status, 400)
    t.is((await phone.chip({ ...files, dg2: 'A'.repeat(800_000) })).status, 400)
    t.is((await phone.chip({ ...files, dg2: 'A'.repeat(1_100_000) })).status, 413)
    t.is((await phone.chip({ ...files, dg1: '#' })).status, 400)
    t.is((await phone.drop('document_chip')).status, 204)
    t.is((await phone.drop('document_chip')).status, 409)
    const left = await rig.rows("SELECT id FROM captures WHERE transaction_id = ? AND kind = 'chip'", opened.id)
    t.is(left.length, 0)
  })
}

/** Real pixels and real addresses in a running node: the local engine's child process, and the operator's own files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LicenceFields, person, personSeeds } from '@attestor/vision/synthetic'
import { localEngineName } from '@attestor/vision/testing'
import test, { type ExecutionContext } from 'ava'
import { inventPhotographs, type Photographs } from '../../lab/demo/people.ts'
import { photograph, renderLicence, renderPortrait } from '../../packages/vision/test/drawn.ts'
import { callTo } from '../calls.ts'
import { oneDialect } from '../database.ts'
import { writeMmdb } from '../engines/addresses/mmdb.ts'
import { inLongTier } from '../tier.ts'
import { anotherTake, phoneOf, signalsCall, startCall } from './client.ts'
import { getResult, listCodes } from './outcomes.ts'
import { type Opened, openTestRig, type Rig } from './rig.ts'

const holder = {
  country: 'CAN',
  jurisdiction: 'ON',
  document_number: 'M61014070901',
  last_name: 'MORGENSTERN',
  first_name: 'ALEXIS',
  middle_name: 'ROBIN',
  date_of_birth: '1991-03-04',
  issue_date: '2024-02-18',
  expiry_date: '2033-02-18',
  sex: 'X',
} as const

/** The sides of a licence that shows the person of the photographs, photographed. */
async function licencePhotos(fields: LicenceFields): Promise<{ front: Buffer; back: Buffer }> {
  const [seed = 1] = personSeeds
  const portrait = await renderPortrait(person(seed), { headWidth: 0.6, distance: 8 }, { width: 350, height: 450 })
  const { front, back } = await renderLicence({ fields, standard: { version: 10 }, portrait, seed: 3 })
  const setting = { seed: 12, width: 1600 }
  return { front: await photograph(front, setting), back: await photograph(back, { ...setting, condition: 'tilted' }) }
}

const another = {
  ...holder,
  document_number: 'X4711',
  last_name: 'QUISTGAARD',
  first_name: 'OLE',
  date_of_birth: '1974-10-30',
  expiry_date: '2030-07-15',
}

async function paint() {
  return {
    photographs: await inventPhotographs(false),
    ...(await licencePhotos(holder)),
    another_back: (await licencePhotos(another)).back,
  }
}

let painted: ReturnType<typeof paint> | null = null

/** Made once, and before a node runs: painting holds up the event loop for seconds, which a database takes for an outage. */
function pictures(): ReturnType<typeof paint> {
  painted ??= paint()
  return painted
}

/** Every step of the session, with pictures that an analysis can make something of. */
async function capture(
  t: ExecutionContext,
  { phone }: Opened,
  { front, back, photographs }: { front: Buffer; back: Buffer; photographs: Photographs },
): Promise<void> {
  const took = async (path: string, image: Buffer | undefined): Promise<void> => {
    const { status, text } = await phone.upload(path, image)
    t.is(status, 200, `${path}: ${text}`)
  }
  await phone.start({ ...startCall, document_type: 'DRIVING_LICENSE' })
  await phone.signals()
  await took('document/front', front)
  await took('document/back', back)
  await took('selfie', photographs.selfie)
  const { body } = await phone.challenge()
  for (const [n, action] of (body.actions as string[]).entries()) {
    const frame = photographs.frames[action]
    await took(`liveness/${body.challenge_id}/${n}`, frame && anotherTake(frame))
  }
  t.is((await phone.complete()).status, 202)
}

/** Files of an operator, and a proxy in front. */
function addressSettings(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const fileOf = (name: string, content: string | Buffer): string => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  return {
    TRUSTED_PROXY_HOPS: '1',
    IP_COUNTRY_DATABASE: fileOf('c.mmdb', writeMmdb({ '192.0.2.0/24': 'FR', '198.51.100.0/24': 'DE' })),
    VPN_ADDRESSES_FILE: fileOf('vpn.txt', '192.0.2.64/26\n'),
    TOR_ADDRESSES_FILE: fileOf('tor.txt', '198.51.100.9\n'),
  }
}

/** Completes a transaction from a phone in Berlin that the proxy in front saw at `address`. */
async function seenAt(rig: Rig, address: string, network: object) {
  const { id, sdk_token } = await rig.open()
  const plain = callTo(() => rig.node().url)
  const phone = phoneOf(
    (method, path, options) =>
      plain(method, path, { ...options, headers: { 'X-Forwarded-For': `203.0.113.66, ${address}` } }),
    sdk_token,
  )
  await phone.capture()
  await phone.signals({ ...signalsCall, network })
  await phone.complete()
  await rig.idle()
  const view = await rig.view(id)
  return { metadata: getResult(view).metadata, codes: listCodes(view).filter(code => code !== 'SURNAME_NOT_EVALUABLE') }
}

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `

  inLongTier(test.serial)(
    `${on}a driving licence goes through the real engine, in its child process, to an approval`,
    async t => {
      const { photographs, front, back, another_back } = await pictures()
      const rig = await openTestRig(t, engine, { ANALYSIS_ENGINE: 'local', ANALYSIS_PROCESSES: '1' })
      await rig.until(async () => rig.lines.some(({ message }) => message === 'the analysis engine has started'))
      const analysed = async (other: Buffer) => {
        const opened = await rig.open()
        await capture(t, opened, { front, back: other, photographs })
        await rig.idle()
        return rig.view(opened.id)
      }
      const view = await analysed(back)
      const { country, jurisdiction, first_name, middle_name, ...printed } = holder
      t.deepEqual(listCodes(view), ['GEO_IP_MISMATCH_NOT_EVALUABLE'])
      t.is(getResult(view).decision, 'APPROVED')
      t.like(view.result_data, {
        document: {
          status: 'PASSED',
          data: {
            ...printed,
            document_type: 'DRIVING_LICENSE',
            issuing_country: 'CA',
            nationality: null,
            personal_number: null,
            first_name: `${first_name} ${middle_name}`,
            mrz: null,
            engine: { name: localEngineName.name, version: localEngineName.version },
          },
        },
        liveness: { status: 'PASSED' },
        face_comparison: { status: 'PASSED', data: { reference: 'DOCUMENT' } },
      })
      const mixed = await analysed(another_back)
      t.is(getResult(mixed).decision, 'REJECTED')
      t.is(
        listCodes(mixed)[0],
        'DOCUMENT_SIDES_MISMATCH',
        'the print in front is held against the barcode of another card',
      )
    },
  )

  test.serial(`${on}the result has the operator's files' facts about the address that a trusted proxy saw`, async t => {
    const rig = await openTestRig(t, engine, addressSettings(t))
    const clear = { vpn_detected: false, proxy_detected: false, tor_detected: false }
    const french = await seenAt(rig, '192.0.2.70', clear)
    t.deepEqual(french.codes, ['VPN_OR_PROXY_DETECTED', 'GEO_IP_MISMATCH'])
    t.like(french.metadata, {
      network: { ip_address: '192.0.2.70', ip_country: 'FR', vpn_detected: true },
      geolocation: { country_from_coords: 'DE' },
    })
    t.deepEqual((await seenAt(rig, '198.51.100.9', {})).codes, ['VPN_OR_PROXY_DETECTED'], 'a Tor exit in Germany')
    t.deepEqual((await seenAt(rig, '198.51.100.8', clear)).codes, [])
    const silent = await seenAt(rig, '198.51.100.8', {})
    t.deepEqual(silent.codes, ['VPN_OR_PROXY_NOT_EVALUABLE'], 'no list of VPNs is whole')
  })
}

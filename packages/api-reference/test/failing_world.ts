import { issueAccessToken } from '../../../src/identity/accounts/access_token.ts'
import { createAccount } from '../../../src/identity/accounts/accounts.ts'
import { attestByNobody, toChallenge } from '../../../test/service/attested_phone.ts'
import { kyc, openTransaction, picture } from '../../../test/service/client.ts'
import type { Rig } from '../../../test/service/rig.ts'

/** A service, and the objects with which calls can go wrong. */
export interface World {
  readonly rig: Rig
  readonly accessToken: string
  readonly ofLiveAccount: string
  readonly withoutScope: string
  /** Tokens of devices, by how far their transactions are. */
  readonly devices: { readonly started: string; readonly ended: string; readonly expired: string }
  /** Tokens of devices whose transactions ask for more, by the operation that takes it. */
  readonly ofFeatures: Readonly<Record<string, string>>
  /** Ids of challenges and requests that are open, by the operation that answers them. */
  readonly open: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Nobody trusts the maker of the phone that attests. */
  readonly attestation: object
  /** Ids, codes and links, by the operation that takes them. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly customerId: string
  /** The beginning of a photo. */
  readonly damaged: Uint8Array
}

export const repeatedKey = ['Idempotency-Key', 'order-4711'] as const

async function openDevices(rig: Rig) {
  const expired = await rig.open({ transaction_ttl_minutes: 1 })
  await rig.advance(90_000)
  const ended = await rig.open({ webhook: null })
  await ended.phone.capture()
  await ended.phone.complete()
  await rig.idle()
  const started = await rig.open({ webhook: null })
  await started.phone.start()
  const devices = { expired: expired.sdk_token, ended: ended.sdk_token, started: started.sdk_token }
  return { devices, endedId: ended.id, phone: started.phone }
}

/** A new link to an image of a transaction. */
export async function createLink(rig: Rig, transaction_id: string): Promise<string> {
  const token = await rig.token()
  const path = `${kyc}/transaction/${transaction_id}/captures`
  const { body } = await rig.call('GET', path, { token })
  const [image] = body.data as readonly { readonly id: string }[]
  const link = await rig.call('POST', `${path}/${image?.id}/link`, { token })
  return String(link.body.url).split('/').at(-1) ?? ''
}

/** A delivery that a developer's machine has taken. */
async function takeDelivery(rig: Rig) {
  const { id, phone } = await rig.open({ webhook: { url: 'https://listen.invalid/' } })
  await phone.start()
  await rig.idle()
  const { body } = await rig.call('POST', `${kyc}/test/listen`, { token: await rig.token(), json: {} })
  const { delivery_id } = body.delivery as { readonly delivery_id: string }
  return { transaction_id: id, delivery_id }
}

async function startWith(rig: Rig, config: object) {
  const opened = await rig.open({ webhook: null, ...config })
  await opened.phone.start()
  return opened
}

/** Devices that read a chip and ask a wallet, and one that attests a key. */
async function openFeatures(rig: Rig) {
  const chip = await startWith(rig, { document_policy: { chip: 'PREFER' } })
  const wallet = await startWith(rig, { document_policy: { wallet: 'OFFER' } })
  const byLink = await startWith(rig, { document_policy: { wallet: 'OFFER' } })
  const app = await startWith(rig, {})
  const { challenge_id, challenge } = toChallenge(await app.phone.attestationChallenge())
  const ask = async ({ phone }: typeof wallet) => String((await phone.askWallet()).body.request_id)
  return {
    answers: {
      putWalletAnswer: { request_id: await ask(wallet) },
      postWalletResponse: { transaction_id: byLink.id, request_id: await ask(byLink) },
    },
    ofFeatures: {
      putChip: chip.sdk_token,
      requestWallet: wallet.sdk_token,
      putWalletAnswer: wallet.sdk_token,
      putAttestation: app.sdk_token,
    },
    attestation: { challenge_id, ...attestByNobody(challenge).json },
  }
}

/**
 * Opens the objects that the calls need: transactions at every stage, another account, a delivery that somebody has
 * taken.
 */
export async function openWorld(rig: Rig): Promise<World> {
  const { serviceKeys } = rig.node().service
  const live = await createAccount(rig.node().service, { name: 'Live', mode: 'live' })
  const { devices, endedId, phone } = await openDevices(rig)
  const link = await createLink(rig, endedId)
  await rig.advance(6 * 60_000)
  const delivery = await takeDelivery(rig)
  const customerId = await rig.customer()
  const { answers, ...features } = await openFeatures(rig)
  const { body: challenge } = await phone.challenge()
  const accessToken = await rig.token()
  const json = { external_customer_id: 'repeated' }
  await rig.call('POST', `${kyc}/customer`, { token: accessToken, json, headers: Object.fromEntries([repeatedKey]) })
  const claims = { client_id: rig.account.client_id, scope: 'another', expires_at: rig.clock.now() + 3_600_000 }
  return {
    rig,
    ...features,
    open: { ...answers, putFrame: { challenge_id: String(challenge.challenge_id), n: '0' } },
    accessToken,
    devices,
    customerId,
    damaged: (await picture(1)).subarray(0, 100),
    ofLiveAccount: await rig.token(live),
    withoutScope: issueAccessToken(serviceKeys, claims),
    paths: {
      cancelTransaction: { transaction_id: endedId },
      walkTransaction: { transaction_id: (await openTransaction(rig.call, await rig.token(live))).transaction_id },
      createCaptureLink: { transaction_id: endedId },
      redeliver: delivery,
      reportAttempt: { delivery_id: delivery.delivery_id },
      readCapture: { link },
    },
  }
}

import { answerDigital, type HolderOptions, type SyntheticCredential } from '@attestor/credentials/synthetic'
import type { CDPSession, HTTPResponse, Page } from 'puppeteer-core'
import type { Rig } from '../../../test/service/rig.ts'

/** The types of the protocol do not have the command of Chromium's virtual wallet. */
interface WalletCommands {
  send(method: 'DigitalCredentials.setVirtualWalletBehavior', behaviour: object): Promise<unknown>
}

export interface OpenedRequest {
  readonly request_id: string
  readonly requests: readonly { readonly protocol: string; readonly data: object }[]
  readonly link: string
}

/** Collects the requests that a page opens. */
export function hearRequests(page: Page): () => Promise<OpenedRequest> {
  const heard: HTTPResponse[] = []
  page.on('response', response => {
    if (response.url().endsWith('/document/wallet') && response.request().method() === 'POST') heard.push(response)
  })
  return async () => {
    const last = heard.at(-1)
    if (last === undefined) throw new Error('the page has asked no wallet')
    return (await last.json()) as OpenedRequest
  }
}

/** Chromium's virtual wallet in a page or a frame of it. */
export function openVirtualWallet(session: CDPSession) {
  const commands = session as unknown as WalletCommands
  const behave = async (behaviour: object): Promise<void> => {
    await commands.send('DigitalCredentials.setVirtualWalletBehavior', behaviour)
  }
  return {
    behave,
    /** Has it answer a request with a credential. */
    async answers(
      rig: Rig,
      credential: SyntheticCredential,
      { requests }: OpenedRequest,
      { protocol = 'openid4vp-v1-unsigned', ...options }: Partial<HolderOptions> & { readonly protocol?: string } = {},
    ): Promise<void> {
      const request = requests.find(one => one.protocol === protocol)
      if (request === undefined) throw new Error(`${protocol} is not asked`)
      const how = { now: rig.clock.now(), ...options }
      const response = await answerDigital(credential, request, new URL(rig.node().url).origin, how)
      await behave({ action: 'respond', protocol, response })
    },
  }
}

import type {
  CaptureResponse,
  Challenge,
  ChipChallenge,
  ChipResponse,
  OfferedHandoff,
  paths,
  Session,
  WalletReceipt,
  WalletRequest,
} from './api.ts'

type SessionPath =
  | '/start'
  | '/document'
  | '/signals'
  | '/document/chip'
  | '/document/wallet'
  | '/document/wallet/{request_id}'
  | '/handoff/send'
  | '/result'
type Operation<
  Path extends SessionPath,
  Method extends 'get' | 'post' | 'put',
> = paths[`/api/sdk/v1/session${Path}`][Method]
type BodyOf<Path extends SessionPath, Method extends 'post' | 'put'> =
  NonNullable<Operation<Path, Method> extends { requestBody?: infer Body } ? Body : never> extends {
    content: { 'application/json': infer Content }
  }
    ? Content
    : never

export type StartedSession = BodyOf<'/start', 'post'>
export type ReportedSignals = BodyOf<'/signals', 'put'>
export type DocumentType = BodyOf<'/document', 'put'>['document_type']
export type ReadChip = BodyOf<'/document/chip', 'put'>
export type AskedWallet = BodyOf<'/document/wallet', 'post'>
export type WalletAnswer = BodyOf<'/document/wallet/{request_id}', 'put'>
export type SentLink = BodyOf<'/handoff/send', 'post'>
export type SessionResult = Operation<'/result', 'get'>['responses'][200]['content']['application/json']

/** A JPEG, a PNG or a WebP. */
export type Image = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>

/** Steps that are captured as one picture. */
export type Picture = 'document_front' | 'document_back' | 'selfie'

/** Captures that can be dropped, to be taken again. */
export type Captured = Picture | 'document_chip' | 'document_wallet' | 'liveness'

export interface DeviceOptions {
  /** Address of the service, such as `https://attestor.example.com`. */
  readonly baseUrl: string
  /** Token of the one transaction. */
  readonly sdkToken: string
}

/** The limits of a call's wait for news: `wait` in seconds, 60 at most. */
export interface Waiting {
  readonly wait?: number
  readonly signal?: AbortSignal | undefined
}

/**
 * A device's calls for its one transaction. Nothing is repeated: you may send each again if its answer was lost, as the
 * same picture counts once. @throws {AttestorError} where the service refuses, TypeError where it is not reached
 */
export interface DeviceClient {
  /** With `seen` it resolves as soon as the session's `version` is another. */
  getSession(options?: Waiting & { readonly seen?: number }): Promise<Session>
  start(body: StartedSession, signal?: AbortSignal): Promise<Session>
  changeDocument(document_type: DocumentType, signal?: AbortSignal): Promise<Session>
  reportSignals(body: ReportedSignals, signal?: AbortSignal): Promise<void>
  upload(picture: Picture, image: Image, signal?: AbortSignal): Promise<CaptureResponse>
  drop(captured: Captured, signal?: AbortSignal): Promise<void>
  createChallenge(signal?: AbortSignal): Promise<Challenge>
  /** The frame of action `position`, from 0. */
  uploadFrame(challenge_id: string, position: number, frame: Image, signal?: AbortSignal): Promise<CaptureResponse>
  createChipChallenge(signal?: AbortSignal): Promise<ChipChallenge>
  uploadChip(chip: ReadChip, signal?: AbortSignal): Promise<ChipResponse>
  /** Opens a request to a wallet, which is answered once; an earlier one is void. */
  requestWallet(body?: AskedWallet, signal?: AbortSignal): Promise<WalletRequest>
  /** Gives the answer that `navigator.credentials.get` returned. */
  answerWallet(request_id: string, answer: WalletAnswer, signal?: AbortSignal): Promise<WalletReceipt>
  complete(signal?: AbortSignal): Promise<void>
  /** Resolves at the end, or after `wait` seconds. */
  getResult(options?: Waiting): Promise<SessionResult>
  /** Ends the transaction for good. */
  cancel(signal?: AbortSignal): Promise<void>
  /** Lets another device go on. */
  offerHandoff(signal?: AbortSignal): Promise<OfferedHandoff>
  /** Lets the first device go on; other devices' tokens and codes become void. */
  takeBackHandoff(signal?: AbortSignal): Promise<Session>
  /** Lets the operator send the link of an offer to an e-mail address or a telephone number, in a language. */
  sendHandoff(link: SentLink, signal?: AbortSignal): Promise<void>
}

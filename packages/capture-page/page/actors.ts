import type { DocumentType } from '@attestor/rules/page'
import { fromPromise } from 'xstate'
import {
  type Challenge,
  captureMachine,
  type HandoffOffer,
  type Outcome,
  type PictureStep,
  type Receipt,
  type SessionProgress,
  type WalletAnswer,
  type WalletRequest,
} from '../../../machines/capture.ts'
import type { Goal } from './guidance/guide.ts'
import type { Service } from './service.ts'
import type { Stage } from './stage.ts'
import { askWallet } from './wallet.ts'

/** Signals for a person who does not look at the screen: closed eyes read no hint. */
type Cue = 'close_eyes' | 'taken'

/** Tones in hertz, one after the other, and the vibration in milliseconds: on, off, on. */
const cues: Readonly<Record<Cue, { readonly tones: readonly number[]; readonly vibration: readonly number[] }>> = {
  close_eyes: { tones: [660, 440], vibration: [60, 60, 60] },
  taken: { tones: [880], vibration: [80] },
}

const toneSeconds = 0.12
const volume = 0.2

function play(tones: readonly number[]): void {
  const sound = new AudioContext()
  const gain = new GainNode(sound, { gain: volume })
  const oscillator = new OscillatorNode(sound)
  for (const [n, tone] of tones.entries())
    oscillator.frequency.setValueAtTime(tone, sound.currentTime + n * toneSeconds)
  const end = sound.currentTime + tones.length * toneSeconds
  // A tone that is cut off clicks.
  gain.gain.setTargetAtTime(0, end - toneSeconds / 2, toneSeconds / 8)
  oscillator.connect(gain).connect(sound.destination)
  oscillator.addEventListener('ended', () => void sound.close())
  oscillator.start()
  oscillator.stop(end)
}

/** Sounds and vibrates, as far as the device does: a silenced phone stays silent. */
function giveCue(cue: Cue): void {
  const { tones, vibration } = cues[cue]
  if ('vibrate' in navigator) navigator.vibrate([...vibration])
  if ('AudioContext' in globalThis) play(tones)
}

type Action = Extract<Goal, { kind: 'action' }>['action']

function toGoal(step: PictureStep | null, action: string | null): Goal {
  if (step === null) return { kind: 'action', action: action as Action }
  return { kind: step === 'selfie' ? 'selfie' : 'document' }
}

/** @throws {Error} for a value that the chart sends before it has it: a fault of the chart */
function known<Value>(value: Value | null): Value {
  if (value === null) throw new Error('the chart has nothing to send')
  return value
}

function createCalls(service: Service) {
  /** A call without a result. */
  const act = (run: (signal: AbortSignal) => Promise<void>) =>
    fromPromise<null, undefined>(async ({ signal }) => {
      await run(signal)
      return null
    })
  return {
    open: fromPromise<SessionProgress, undefined>(({ signal }) => service.open(signal)),
    start: fromPromise<SessionProgress, { document_type: DocumentType | null }>(({ input, signal }) =>
      service.start(input.document_type, signal),
    ),
    changeDocument: fromPromise<SessionProgress, { document_type: DocumentType | null }>(({ input, signal }) =>
      service.changeDocument(known(input.document_type), signal),
    ),
    report: act(service.report),
    upload: fromPromise<Receipt, { step: PictureStep; picture: Blob | null }>(({ input: { step, picture }, signal }) =>
      service.upload(step, known(picture), signal),
    ),
    requestWallet: fromPromise<{ session: SessionProgress; request: WalletRequest }, undefined>(({ signal }) =>
      service.requestWallet(signal),
    ),
    askWallet: fromPromise<WalletAnswer, { request: WalletRequest | null }>(({ input: { request }, signal }) =>
      askWallet(known(request).requests, signal),
    ),
    sendWallet: fromPromise<SessionProgress, { request: WalletRequest | null; answer: WalletAnswer | null }>(
      ({ input: { request, answer }, signal }) => service.sendWallet(known(request), known(answer), signal),
    ),
    awaitWallet: fromPromise<SessionProgress, undefined>(({ signal }) => service.awaitWallet(signal)),
    issueChallenge: fromPromise<Challenge, undefined>(({ signal }) => service.issueChallenge(signal)),
    uploadFrame: fromPromise<Receipt, { challenge: Challenge | null; position: number; picture: Blob | null }>(
      ({ input: { challenge, position, picture }, signal }) =>
        service.uploadFrame(known(challenge).challenge_id, position, known(picture), signal),
    ),
    offer: fromPromise<HandoffOffer, undefined>(({ signal }) => service.offer(signal)),
    follow: fromPromise<SessionProgress, undefined>(({ signal }) => service.follow(signal)),
    awaitAdvice: fromPromise<SessionProgress, undefined>(({ signal }) => service.awaitAdvice(signal)),
    takeBack: fromPromise<SessionProgress, undefined>(({ signal }) => service.takeBack(signal)),
    complete: act(service.complete),
    awaitResult: fromPromise<Outcome, undefined>(({ signal }) => service.awaitResult(signal)),
    awaitReview: fromPromise<SessionProgress, undefined>(({ signal }) => service.awaitReview(signal)),
    cancel: act(service.cancel),
  }
}

function toReturnUrl(redirect_url: string, transaction_id: string): string {
  const url = new URL(redirect_url)
  url.search += `${url.search === '' ? '?' : '&'}transaction_id=${encodeURIComponent(transaction_id)}`
  return url.href
}

/** Gives the chart its service and its camera. */
export function provideCapture(service: Service, stage: Stage) {
  return captureMachine.provide({
    actors: {
      ...createCalls(service),
      openCamera: fromPromise<null, { facing: 'user' | 'environment' }>(async ({ input }) => {
        await stage.open(input.facing)
        return null
      }),
      watch: fromPromise<Blob, { step: PictureStep | null; action: string | null }>(async ({ input, signal }) => {
        if (input.action === 'BLINK') giveCue('close_eyes')
        const picture = await stage.watch(toGoal(input.step, input.action), signal)
        giveCue('taken')
        return picture
      }),
      take: fromPromise<Blob, { step: PictureStep | null }>(async ({ input: { step } }) => {
        const picture = await stage.take(step === null || step === 'selfie' ? 'face' : 'document')
        giveCue('taken')
        return picture
      }),
    },
    actions: {
      closeCamera: () => stage.close(),
      useCamera: (_, { facing, camera }) => stage.chooseCamera(facing, camera),
      returnToSite: ({ context: { is_embedded, redirect_url } }) => {
        // The page around the frame closes it.
        if (!is_embedded) location.assign(toReturnUrl(known(redirect_url), known(service.transaction_id)))
      },
    },
  })
}

import {
  type App,
  actions,
  backButton,
  bar,
  button,
  drawing,
  fileButton,
  heading,
  type ShowScreen,
  type Snapshot,
  type View,
} from '../app.ts'
import { type Child, el } from '../dom.ts'
import en from '../texts/en.json' with { type: 'json' }
import type { TextKey } from '../texts/keys.ts'

/** The picture that the person took, as long as this screen shows it. */
function showTaken({ say }: App, { context }: Snapshot): { readonly image: Child; readonly close: () => void } {
  if (context.picture === null) return { image: null, close: () => {} }
  const url = URL.createObjectURL(context.picture)
  const image = el('img', { class: 'taken', src: url, alt: say('sending.yours') })
  return { image, close: () => URL.revokeObjectURL(url) }
}

export const showSending: ShowScreen = (app, snapshot): View => {
  const { image, close } = showTaken(app, snapshot)
  return { content: [heading(app.say('sending.title')), image, el('div', { class: 'spinner' })], close }
}

/** Advice for a person whose picture has this fault. */
export function findAdvice({ say }: App, code: string): string {
  const key = `advice.${code}`
  return say(Object.hasOwn(en, key) ? (key as TextKey) : 'advice.other')
}

function describeAttempts({ say }: App, { context }: Snapshot): string {
  const n = context.receipt?.attempts_left ?? 0
  return n === 0 ? say('advice.left_none') : n === 1 ? say('advice.left_one') : say('advice.left', { n })
}

function showAdvice(app: App, snapshot: Snapshot, left: string | null): View {
  const { image, close } = showTaken(app, snapshot)
  const codes = [...new Set(snapshot.context.receipt?.warnings ?? [])]
  return {
    content: [
      bar(app, snapshot),
      heading(app.say('advice.title')),
      el('ul', { class: 'advice' }, ...codes.map(code => el('li', {}, findAdvice(app, code)))),
      image,
      actions(
        left === null ? null : el('p', { class: 'note' }, left),
        snapshot.can({ type: 'RETAKE' }) ? button(app, 'RETAKE', 'advice.retake') : null,
        button(app, 'KEEP', 'advice.keep', 'secondary'),
        snapshot.can({ type: 'CHANGE_DOCUMENT' }) ? button(app, 'CHANGE_DOCUMENT', 'document.change', 'quiet') : null,
      ),
    ],
    close,
  }
}

export const showPictureAdvice: ShowScreen = (app, snapshot) =>
  showAdvice(app, snapshot, describeAttempts(app, snapshot))

function describeTries({ say }: App, { context }: Snapshot): string {
  const n = context.challenge?.attempts_left ?? 0
  return n === 0 ? say('live.left_none') : n === 1 ? say('live.left_one') : say('live.left', { n })
}

/** The last frame ends its challenge: another try begins from the first movement. */
export const showFrameAdvice: ShowScreen = (app, snapshot) => {
  const { challenge, position } = snapshot.context
  const isLast = position + 1 === challenge?.actions.length
  const again = snapshot.can({ type: 'RETAKE' }) ? [app.say('live.again')] : []
  return showAdvice(app, snapshot, isLast ? [...again, describeTries(app, snapshot)].join(' ') : null)
}

export const showRefused: ShowScreen = (app, snapshot) => ({
  content: [
    bar(app, snapshot),
    heading(app.say('refused.title')),
    el('p', {}, app.say(`refused.${snapshot.context.failure}` as 'refused.unreadable')),
    actions(button(app, 'RETAKE', 'refused.retake')),
  ],
})

/** Shows how to allow the camera. The pictures are loaded when they are needed; without network the words suffice. */
function showAllowing(): HTMLElement {
  const place = el('div', { class: 'centre' })
  const load = import('../allowing.ts').then(({ findAllowing }) => findAllowing()).catch(() => null)
  void load.then(url => url && place.append(drawing(url, 'drawing browser')))
  return place
}

export const showWithoutCamera: ShowScreen = (app, snapshot) => {
  const { say } = app
  const why = snapshot.context.camera_failure as 'camera_refused' | 'camera_missing' | 'camera_busy'
  const isLiveness = snapshot.can({ type: 'USE_FILES' })
  return {
    content: [
      heading(say(`nocamera.${why}.title`)),
      el('p', {}, say(`nocamera.${why}.text`)),
      why === 'camera_refused' ? showAllowing() : null,
      actions(
        button(app, 'TRY_AGAIN', 'page.again'),
        isLiveness ? button(app, 'USE_FILES', 'nocamera.files', 'secondary') : fileButton(app, 'picture.file'),
        snapshot.can({ type: 'USE_PHONE' }) ? button(app, 'USE_PHONE', 'device.phone', 'secondary') : null,
        backButton(app),
      ),
    ],
  }
}

export const showLivenessFile: ShowScreen = (app, { context }) => {
  const { say } = app
  const { challenge, position } = context
  return {
    content: [
      el('p', { class: 'progress' }, say('live.of', { n: position + 1, all: challenge?.actions.length ?? 0 })),
      heading(say(`hint.${challenge?.actions[position]}` as 'hint.BLINK')),
      el('p', {}, say('live.file')),
      actions(fileButton(app, 'live.pick', 'primary'), backButton(app)),
    ],
  }
}

/** Formats a time in the person's language. */
function sayTime(ms: number): string {
  const isWhole = ms % 60_000 === 0
  const unit = isWhole ? 'minute' : 'second'
  const format = new Intl.NumberFormat(document.documentElement.lang, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(Math.round(ms / (isWhole ? 60_000 : 1000)))
}

export const showTimeout: ShowScreen = (app, snapshot) => ({
  content: [
    bar(app, snapshot),
    heading(app.say('live.timeout.title')),
    el('p', {}, app.say('live.timeout.text', { time: sayTime(snapshot.context.challenge?.lasts_ms ?? 0) })),
    actions(el('p', { class: 'note' }, describeTries(app, snapshot)), button(app, 'TRY_AGAIN', 'page.again')),
  ],
})

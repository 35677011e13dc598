import {
  type App,
  backButton,
  button,
  fileButton,
  heading,
  type ShowScreen,
  type Snapshot,
  showProgress,
  type View,
} from '../app.ts'
import { el } from '../dom.ts'
import type { Hint, Seen } from '../guidance/guide.ts'
import type { TextKey } from '../texts/keys.ts'
import { createCameraTools } from './camera_tools.ts'
import { explain } from './explain.ts'

/** A hint stays for this many milliseconds: faster changes can't be read, and a screen reader would never finish. */
const hintMs = 1200

/** After so many milliseconds without a photo the page says to press the button. */
const byHandMs = 8000

/** Explains after a while how to take the photo by hand. A document on a patterned cloth, for example, is never found. */
function createHelp(app: App, key: TextKey, shutter: HTMLElement) {
  const text = el('p', { class: 'help', role: 'status' })
  const timer = setTimeout(() => {
    text.textContent = app.say(key)
    shutter.classList.add('wanted')
  }, byHandMs)
  return { text, close: () => clearTimeout(timer) }
}

/** Shows the guide's hints, one at a time. */
function createHints({ say }: App) {
  const text = el('p', { class: 'hint', role: 'status' })
  const bar = el('progress', { class: 'seen', value: 0, max: 1, 'aria-hidden': 'true' })
  let shown: Hint | null = null
  let since = 0
  const show = (hint: Hint): void => {
    const now = performance.now()
    if (hint === shown || (now - since < hintMs && hint !== 'GOOD')) return
    shown = hint
    since = now
    text.textContent = say(`hint.${hint}`)
  }
  return {
    elements: [text, bar] as const,
    say: (words: string): void => {
      shown = null
      since = 0
      text.textContent = words
    },
    show: ({ hint, progress }: Seen): void => {
      show(hint)
      bar.value = progress
    },
  }
}

function viewfinder({ say, stage }: App, shape: string): HTMLElement {
  stage.video.setAttribute('aria-label', say('camera.view'))
  return el('div', { class: `viewfinder ${shape}` }, stage.video, el('div', { class: 'frame' }))
}

interface CameraScreen {
  readonly title: TextKey
  /** Shown to a person who has waited for a while. */
  readonly help: TextKey
  /** CSS class of the frame. */
  readonly shape: string
}

/** The camera with its hints, and the button that is always there. */
function showCamera(app: App, { title, help, shape }: CameraScreen, control: HTMLElement) {
  const hints = createHints(app)
  const finder = viewfinder(app, shape)
  hints.say(app.say('camera.opening'))
  app.stage.onSeen = seen => {
    hints.show(seen)
    finder.classList.toggle('good', seen.hint === 'GOOD')
  }
  const shutter = el(
    'button',
    { type: 'button', class: 'shutter', click: () => app.send({ type: 'SHUTTER' }) },
    el('span', {}, app.say('camera.take')),
  )
  const helped = createHelp(app, help, shutter)
  const close = (): void => {
    app.stage.onSeen = () => {}
    helped.close()
  }
  const controls = el('div', { class: 'controls' }, backButton(app), shutter, control)
  const content = [heading(app.say(title)), finder, el('div', { class: 'hints' }, ...hints.elements, helped.text)]
  return { content, controls, hints, shutter, close }
}

export const showPictureCamera: ShowScreen = (app, snapshot): View => {
  const { step, document_type } = snapshot.context
  const shape = step === 'selfie' ? 'face' : document_type === 'PASSPORT' ? 'passport' : 'card'
  const { content, controls, hints, shutter, close } = showCamera(
    app,
    { title: explain(snapshot).camera, help: step === 'selfie' ? 'camera.by_hand' : 'camera.by_hand_document', shape },
    fileButton(app, 'picture.file', 'quiet'),
  )
  const tools = createCameraTools(app, step)
  const update = (now: Snapshot): void => {
    shutter.disabled = !now.can({ type: 'SHUTTER' })
    if (now.matches({ underway: { capturing: { picture: 'opening_camera' } } })) hints.say(app.say('camera.opening'))
    if (!now.matches({ underway: { capturing: { picture: 'aiming' } } })) return
    hints.say(app.say('camera.auto'))
    tools.refresh()
  }
  update(snapshot)
  const closeAll = (): void => {
    close()
    tools.close()
  }
  return { content: [showProgress(app, snapshot, step), ...content, tools.element, controls], update, close: closeAll }
}

const arrows: Readonly<Record<string, string>> = { TURN_LEFT: '←', TURN_RIGHT: '→', LOOK_UP: '↑' }

export const showLivenessCamera: ShowScreen = (app, snapshot): View => {
  const { say } = app
  const { content, controls, hints, shutter, close } = showCamera(
    app,
    { title: 'live.camera', help: 'camera.by_hand', shape: 'face' },
    button(app, 'STOP', 'live.stop', 'quiet'),
  )
  const of = el('p', { class: 'progress' })
  const arrow = el('div', { class: 'arrow', 'aria-hidden': 'true' })
  const update = (now: Snapshot): void => {
    const { challenge, position } = now.context
    shutter.disabled = !now.can({ type: 'SHUTTER' })
    const action = challenge?.actions[position]
    if (action === undefined) return
    of.textContent = say('live.of', { n: position + 1, all: challenge?.actions.length ?? 0 })
    arrow.textContent = arrows[action] ?? ''
    hints.say(now.hasTag('SENDING_FRAME') ? say('sending.title') : say(`hint.${action}` as TextKey))
  }
  hints.say(say('live.preparing'))
  update(snapshot)
  content[1]?.append(arrow)
  return { content: [of, ...content, controls], update, close }
}

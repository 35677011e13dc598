import {
  actions,
  bar,
  button,
  drawing,
  fileButton,
  heading,
  type ShowScreen,
  type Snapshot,
  showProgress,
} from '../app.ts'
import { el } from '../dom.ts'
import type { TextKey } from '../texts/keys.ts'

const pictures = {
  passport: new URL('../pictures/passport.svg', import.meta.url),
  front: new URL('../pictures/front.svg', import.meta.url),
  back: new URL('../pictures/back.svg', import.meta.url),
  selfie: new URL('../pictures/face.svg', import.meta.url),
} as const

function nameStep({ context: { step, document_type } }: Snapshot): keyof typeof pictures {
  if (step === 'selfie') return 'selfie'
  if (step === 'document_back') return 'back'
  return document_type === 'PASSPORT' ? 'passport' : 'front'
}

const documentTips: readonly TextKey[] = ['tip.surface', 'tip.edges', 'tip.glare']
const faceTips: readonly TextKey[] = ['tip.light', 'tip.cover', 'tip.alone']

/** Returns the explanation of the step's picture, and the text above its camera. */
export function explain(snapshot: Snapshot) {
  const name = nameStep(snapshot)
  const isStepUp = snapshot.context.session?.transaction_type === 'BIOMETRIC_ONLY'
  const text: TextKey = name === 'selfie' && isStepUp ? 'selfie.text_face' : `${name}.text`
  return {
    title: `${name}.title`,
    text,
    camera: `${name}.camera`,
    tips: name === 'selfie' ? faceTips : documentTips,
    picture: pictures[name],
  } as const
}

export const showPictureExplained: ShowScreen = (app, snapshot) => {
  const { say, stage } = app
  const { title, text, tips, picture } = explain(snapshot)
  stage.prepare(snapshot.context.step === 'selfie' ? 'face' : 'document')
  return {
    content: [
      bar(app, snapshot),
      showProgress(app, snapshot, snapshot.context.step),
      heading(say(title)),
      el('p', {}, say(text)),
      drawing(picture),
      el('ul', { class: 'tips' }, ...tips.map(tip => el('li', {}, say(tip)))),
      el('p', { class: 'note' }, say('picture.permission')),
      actions(
        button(app, 'CONTINUE', 'picture.open'),
        snapshot.can({ type: 'KEEP' }) ? button(app, 'KEEP', 'picture.keep', 'secondary') : null,
        fileButton(app, 'picture.file', 'quiet'),
        // On the front's screen the back button leads there.
        snapshot.context.step === 'document_back' ? button(app, 'CHANGE_DOCUMENT', 'document.change', 'quiet') : null,
      ),
    ],
  }
}

export const showLivenessExplained: ShowScreen = (app, snapshot) => {
  const { say, stage } = app
  stage.prepare('face')
  return {
    content: [
      bar(app, snapshot),
      showProgress(app, snapshot, 'liveness'),
      heading(say('live.title')),
      el('p', {}, say('live.text')),
      drawing(new URL('../pictures/turn.svg', import.meta.url)),
      el('ul', { class: 'tips' }, el('li', {}, say('live.time')), el('li', {}, say('live.help'))),
      actions(button(app, 'CONTINUE', 'live.start')),
    ],
  }
}

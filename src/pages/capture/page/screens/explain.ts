import type { PictureStep } from '../../../../../machines/capture.ts'
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
import type { TextKey } from '../texts/en.ts'

interface Explanation {
  readonly title: TextKey
  readonly text: TextKey
  readonly camera: TextKey
  readonly tips: readonly TextKey[]
  readonly picture: URL
}

const documentTips: readonly TextKey[] = ['tip.surface', 'tip.edges', 'tip.glare']

const explanations: Readonly<Record<'passport' | PictureStep, Explanation>> = {
  passport: {
    title: 'passport.title',
    text: 'passport.text',
    camera: 'passport.camera',
    tips: documentTips,
    picture: new URL('../pictures/passport.svg', import.meta.url),
  },
  document_front: {
    title: 'front.title',
    text: 'front.text',
    camera: 'front.camera',
    tips: documentTips,
    picture: new URL('../pictures/front.svg', import.meta.url),
  },
  document_back: {
    title: 'back.title',
    text: 'back.text',
    camera: 'back.camera',
    tips: documentTips,
    picture: new URL('../pictures/back.svg', import.meta.url),
  },
  selfie: {
    title: 'selfie.title',
    text: 'selfie.text',
    camera: 'selfie.camera',
    tips: ['tip.light', 'tip.cover', 'tip.alone'],
    picture: new URL('../pictures/face.svg', import.meta.url),
  },
}

export function explain({ context }: Snapshot): Explanation {
  if (context.step === 'document_front' && context.document_type === 'PASSPORT') return explanations.passport
  const explanation = explanations[context.step]
  const isStepUp = context.session?.transaction_type === 'BIOMETRIC_ONLY'
  return context.step === 'selfie' && isStepUp ? { ...explanation, text: 'selfie.text_face' } : explanation
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

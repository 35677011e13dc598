import type { HandoffOffer } from '../../../../machines/capture.ts'
import { type App, actions, button, drawing, heading, listSteps, type ShowScreen, type View } from '../app.ts'
import { el } from '../dom.ts'
import { drawQrCode } from './qr_code.ts'

/** Loaded where links are sent. Nothing without network: the link to copy does as well. */
async function addForm(app: App, place: HTMLElement, readCode: () => string): Promise<void> {
  const { showSendForm } = await import('./send_link.ts')
  place.replaceChildren(showSendForm(app, readCode))
}

async function copy({ say, announce }: App, link: string, target: HTMLElement): Promise<void> {
  await navigator.clipboard.writeText(link)
  target.textContent = say('handoff.copied')
  announce(say('handoff.copied'))
}

export const showHandoff: ShowScreen = (app, { context }): View => {
  const { say } = app
  const link = el('input', {
    type: 'text',
    readonly: true,
    dir: 'ltr',
    class: 'link',
    'aria-label': say('handoff.send'),
  })
  const copying = el('button', { type: 'button', class: 'secondary' }, say('handoff.copy'))
  const code = el('div', { class: 'code' })
  const scan = el('p', {}, say('handoff.scan'))
  const send = el('p', {}, say('handoff.or'))
  const form = el('div')
  let shown: HandoffOffer | null = null
  const show = async (offer: HandoffOffer): Promise<void> => {
    const { verify_url, may_send } = offer
    if (may_send && shown === null) void addForm(app, form, () => shown?.code ?? '').catch(() => form.remove())
    shown = offer
    link.value = verify_url
    const drawn = await drawQrCode(app, verify_url)
    scan.hidden = code.hidden = drawn === null
    send.textContent = say(drawn === null ? 'handoff.send' : 'handoff.or')
    if (drawn !== null) code.replaceChildren(drawn)
  }
  const update: View['update'] = now => {
    const { offer } = now.context
    if (offer !== null && offer.verify_url !== shown?.verify_url) void show(offer)
  }
  link.addEventListener('focus', () => link.select())
  copying.addEventListener('click', () => void copy(app, link.value, copying).catch(() => link.select()))
  if (context.offer !== null) void show(context.offer)
  return {
    content: [
      heading(say('handoff.title')),
      scan,
      code,
      form,
      send,
      el('div', { class: 'copy' }, link, copying),
      el('p', { class: 'note' }, say('handoff.secret')),
      actions(button(app, 'BACK', 'handoff.here', 'quiet')),
    ],
    update,
  }
}

/** Shown before the code is used: it may have been a machine that opened the link. */
export const showTakeOver: ShowScreen = app => ({
  content: [
    drawing(new URL('../pictures/phone.svg', import.meta.url)),
    heading(app.say('take_over.title')),
    el('p', {}, app.say('take_over.text')),
    actions(button(app, 'CONTINUE', 'take_over.go')),
  ],
})

export const showFollowing: ShowScreen = (app, snapshot): View => {
  const { say } = app
  const list = el('ul', { class: 'steps' })
  const update: View['update'] = now =>
    list.replaceChildren(
      ...listSteps(now).map(({ step, state }) => {
        const isDone = state === 'captured'
        const what = el('span', {}, say(`follow.${step}`))
        return el(
          'li',
          { class: state },
          what,
          el('span', { class: 'state' }, say(isDone ? 'follow.done' : 'follow.open')),
        )
      }),
    )
  update(snapshot)
  return {
    content: [
      drawing(new URL('../pictures/phone.svg', import.meta.url)),
      heading(say('follow.title')),
      el('p', {}, say('follow.text')),
      list,
      actions(
        snapshot.can({ type: 'USE_PHONE' }) ? button(app, 'USE_PHONE', 'follow.another', 'secondary') : null,
        snapshot.can({ type: 'CONTINUE' }) ? button(app, 'CONTINUE', 'handoff.here', 'quiet') : null,
      ),
    ],
    update,
  }
}

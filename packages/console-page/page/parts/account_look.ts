import { change, serviceUrl } from '../api.ts'
import { el, fill } from '../dom.ts'
import type { AccountSettings } from '../shapes.ts'
import { announce } from './announce.ts'
import { button, buttons, checkbox, field, onSubmit, textField } from './form.ts'
import { problem } from './notice.ts'

/** The first screen of the capture page in short, in the look that the form has. */
function createPreview() {
  const name = el('span', {})
  const logo = el('img', { alt: '', hidden: true })
  const text = el('p', {})
  const link = el('p', { class: 'link' })
  const agree = el('span', { class: 'agree' }, 'I agree, start')
  const element = el(
    'figure',
    { class: 'look' },
    el(
      'div',
      { class: 'phone' },
      el('header', {}, logo, name),
      el('b', {}, 'Let’s confirm that it’s you'),
      text,
      link,
      agree,
    ),
    el('figcaption', { class: 'soft' }, 'Preview'),
  )
  return {
    element,
    logo,
    show(given: { readonly name: string; readonly accent: string; readonly privacy: string }): void {
      fill(name, given.name)
      fill(text, `For ${given.name}. It takes about two minutes.`)
      fill(link, given.privacy === '' ? null : `How ${given.name} protects your data`)
      agree.style.setProperty('background', given.accent)
      agree.style.setProperty('color', isDark(given.accent) ? '#fff' : '#000')
    },
  }
}

/** Whether white can be read on a colour, as the capture page decides it (WCAG 2). */
function isDark(accent: string): boolean {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map(at => Number.parseInt(accent.slice(at, at + 2), 16) / 255)
    .map(value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05) >= 4.5
}

/** The capture page's own colour. */
const plainAccent = '#0b57d0'

function nameLanguage(code: string): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? code
}

async function readBase64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))
}

/** The look and the languages of an account's capture page, with a preview that follows the form. */
export function lookForm(accountId: string, settings: AccountSettings, onDone: () => void): HTMLElement {
  const { languages: offered, branding: plain } = settings.defaults
  const look = settings.branding ?? plain
  const preview = createPreview()
  const failure = el('div', {})
  const picture = el('input', { type: 'file', name: 'logo', accept: 'image/png,image/webp,image/svg+xml' })
  const languages = offered.map(code => {
    const box = checkbox(`language ${code}`, nameLanguage(code))
    const input = box.querySelector('input')
    if (input !== null) input.checked = look.languages?.includes(code) ?? true
    return box
  })
  const form = el(
    'form',
    { class: 'settings' },
    textField('Name that people are shown', { name: 'name', required: true, maxlength: 60, value: look.name }),
    field('Colour', el('input', { type: 'color', name: 'accent', value: look.accent ?? plainAccent })),
    field('Logo', picture, 'PNG, WebP or SVG, at most 45,000 bytes'),
    settings.has_logo ? checkbox('no_logo', 'Remove the logo') : null,
    textField(
      'Privacy notice',
      { name: 'privacy_url', type: 'url', value: look.privacy_url, placeholder: 'https://' },
      'Linked to where people are asked for their consent',
    ),
    textField(
      'Help',
      { name: 'contact_url', value: look.contact_url, placeholder: 'https:// or mailto:' },
      'For people whose link is dead, or who were not confirmed',
    ),
    el('details', {}, el('summary', {}, 'Languages'), el('div', { class: 'boxes' }, languages)),
    failure,
    buttons(
      el('button', { type: 'submit', class: 'primary' }, 'Save'),
      settings.branding === null ? null : button('Use the service’s look', () => save({ branding: null, logo: null })),
    ),
  )
  const save = (body: object): void => {
    fill(failure)
    change('PATCH', `/account/${accountId}/settings`, body).then(
      () => {
        announce('Saved')
        onDone()
      },
      (error: unknown) => fill(failure, problem(error)),
    )
  }
  const follow = (): void => {
    const data = new FormData(form)
    const read = (name: string): string => String(data.get(name) ?? '')
    preview.show({ name: read('name'), accent: read('accent'), privacy: read('privacy_url') })
  }
  const showLogo = (): void => {
    const [file] = picture.files ?? []
    const url =
      file === undefined ? serviceUrl(`verify/logo/${accountId}?v=${settings.version}`) : URL.createObjectURL(file)
    preview.logo.hidden = file === undefined && !settings.has_logo
    if (!preview.logo.hidden) preview.logo.src = url
  }
  form.addEventListener('input', follow)
  picture.addEventListener('change', showLogo)
  onSubmit(form, () => {
    const data = new FormData(form)
    const read = (name: string): string | null => String(data.get(name) ?? '').trim() || null
    const chosen = offered.filter(code => data.has(`language ${code}`))
    const branding = {
      name: read('name') ?? '',
      accent: read('accent') === plainAccent && look.accent === null ? null : read('accent'),
      privacy_url: read('privacy_url'),
      contact_url: read('contact_url'),
      languages: chosen.length === offered.length ? null : chosen,
    }
    const [file] = picture.files ?? []
    if (file === undefined) save({ branding, ...(data.has('no_logo') ? { logo: null } : {}) })
    else void readBase64(file).then(logo => save({ branding, logo }))
  })
  follow()
  showLogo()
  return el('div', { class: 'beside' }, form, preview.element)
}

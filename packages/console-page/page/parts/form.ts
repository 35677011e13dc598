import { type Attributes, type Child, el } from '../dom.ts'

/** A control under its name, with a word of help below it. */
export function field(name: Child, control: HTMLElement, help?: string): HTMLElement {
  return el('label', {}, el('span', {}, name), control, help && el('small', { class: 'soft' }, help))
}

/** A field for one line, which the browser neither fills in nor corrects, unless `attributes` ask it to. */
export function textField(name: Child, attributes: Attributes, help?: string): HTMLElement {
  return field(name, el('input', { autocomplete: 'off', spellcheck: 'false', ...attributes }), help)
}

export function checkbox(name: string, text: string): HTMLElement {
  return el('label', { class: 'check' }, el('input', { type: 'checkbox', name }), text)
}

/** A value, and the text that stands for it. */
export type Option = readonly [value: string, text: string]

/** The option for no choice, before the others. */
export const any: Option = ['', 'Any']

export function select(name: string, options: readonly Option[], chosen = ''): HTMLSelectElement {
  const make = ([value, text]: Option) => el('option', { value, selected: value === chosen }, text)
  return el('select', { name }, options.map(make))
}

interface ButtonLook {
  readonly kind?: 'primary' | 'danger'
  /** Label for screen readers, if the name is unclear without its surroundings. */
  readonly label?: string
}

export function button(name: Child, act: () => void, { kind, label }: ButtonLook = {}): HTMLButtonElement {
  return el('button', { type: 'button', class: kind, 'aria-label': label, onclick: act }, name)
}

export function buttons(...children: readonly Child[]): HTMLElement {
  return el('div', { class: 'buttons' }, children)
}

/** The fields above a list, in a row. */
export function filterBar(role: 'search' | null, ...fields: readonly Child[]): HTMLFormElement {
  return el('form', { class: 'filters', role }, el('div', { class: 'quick' }, fields))
}

/** Times that a form has in the reader's zone. */
const times = ['created_from', 'created_to']

/** A form's fields, without empty ones. */
export function readForm(form: HTMLFormElement): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(form)) {
    const given = String(value).trim()
    if (given !== '') query.set(name, times.includes(name) ? new Date(given).toISOString() : given)
  }
  return query
}

/** Calls `search` when the form is sent. */
export function onSubmit(form: HTMLFormElement, search: () => void): void {
  form.addEventListener('submit', event => {
    event.preventDefault()
    search()
  })
}

import { ApiProblem } from '../api.ts'
import { type Child, el, fill, newId } from '../dom.ts'
import { announce } from './announce.ts'
import { button, buttons, onSubmit } from './form.ts'

/** Shows a modal dialog; it is removed when it closes. Escape closes it, and the focus goes back to where it was. */
export function openDialog(title: string, ...children: readonly Child[]): HTMLDialogElement {
  const id = newId('dialog')
  const dialog = el('dialog', { 'aria-labelledby': id }, el('h2', { id }, title), children)
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}

export interface Question {
  readonly title: string
  readonly text: Child
  /** The text of the button that confirms. */
  readonly button: string
  readonly isDanger?: boolean
  /** A word that must be typed first. */
  readonly typed?: string
  readonly fields?: Child
  /** Called on confirmation. If it fails, the dialog stays open and says why. */
  readonly act: (form: FormData) => Promise<unknown>
  /** Announced afterwards. */
  readonly done?: string
}

function describe(error: unknown): string {
  if (error instanceof ApiProblem) return error.message
  throw error
}

function typedField(word: string): { label: HTMLElement; input: HTMLInputElement } {
  const input = el('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', required: true })
  input.addEventListener('input', () => input.setCustomValidity(input.value === word ? '' : `Type ${word}`))
  input.setCustomValidity(`Type ${word}`)
  return { label: el('label', {}, el('span', {}, 'Type ', el('b', {}, word), ' to confirm'), input), input }
}

/** Asks for confirmation. */
export function ask({ title, text, button: name, isDanger = false, typed, fields, act, done }: Question): void {
  const failure = el('p', { class: 'failure', role: 'alert' })
  const submit = el('button', { type: 'submit', class: isDanger ? 'danger' : 'primary' }, name)
  const form = el(
    'form',
    { method: 'dialog' },
    el('div', { class: 'prose' }, text),
    fields,
    typed === undefined ? null : typedField(typed).label,
    failure,
    buttons(
      button('Back', () => dialog.close()),
      submit,
    ),
  )
  const dialog = openDialog(title, form)
  onSubmit(form, () => {
    fill(failure)
    submit.disabled = true
    act(new FormData(form))
      .then(() => {
        dialog.close()
        if (done !== undefined) announce(done)
      })
      .catch((error: unknown) => fill(failure, describe(error)))
      .finally(() => {
        submit.disabled = false
      })
  })
}

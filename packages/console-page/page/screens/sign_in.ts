import { ApiProblem, apiUrl, change, get } from '../api.ts'
import { el, fill } from '../dom.ts'
import { onSubmit, textField } from '../parts/form.ts'
import type { Me, SignOn } from '../shapes.ts'

function fields(): readonly HTMLElement[] {
  const name = { name: 'name', autocomplete: 'username', required: true, maxlength: 64, autocapitalize: 'none' }
  const password = { name: 'password', type: 'password', autocomplete: 'current-password' }
  const code = { name: 'code', autocomplete: 'one-time-code', inputmode: 'numeric', pattern: '[0-9]{6}', maxlength: 6 }
  return [
    textField('Name', name),
    textField('Password', { ...password, required: true, maxlength: 256 }),
    textField(
      'One-time code',
      { ...code, required: true, title: 'The 6 digits that your authenticator app shows' },
      'The 6 digits in your authenticator app. A code works once.',
    ),
  ]
}

function describe(error: unknown): string {
  if (!(error instanceof ApiProblem)) throw error
  return error.code === 'invalid_client' ? 'The name, the password or the code is wrong.' : error.message
}

const outcomes: Readonly<Record<string, string>> = {
  refused: 'Your company’s account was not accepted: it has no role here, or is disabled. Ask your administrator.',
  taken: 'Another operator has the name of your account. Ask your administrator.',
}

/** A way to sign in without a password of the console, where the service offers one. */
function companyLink(): HTMLElement {
  const place = el('div', { class: 'company' })
  get<SignOn>('/sign-on').then(
    ({ is_offered }) =>
      is_offered &&
      fill(
        place,
        el('a', { class: 'button primary', href: apiUrl('/sign-on/begin') }, 'Sign in with your company’s account'),
      ),
    // The password’s form is there in any case.
    () => {},
  )
  return place
}

/** The log-in. `hasEnded` says that the session has expired. */
export function showSignIn(hasEnded: boolean, onSignedIn: (me: Me) => void): void {
  const failure = el('p', { class: 'failure', role: 'alert' })
  const submit = el('button', { type: 'submit', class: 'primary' }, 'Log in')
  const inputs = fields()
  const form = el('form', {}, inputs, failure, submit)
  onSubmit(form, () => {
    submit.disabled = true
    fill(failure)
    change<Me>('POST', '/login', Object.fromEntries(new FormData(form)))
      .then(onSignedIn)
      .catch((error: unknown) => {
        submit.disabled = false
        fill(failure, describe(error))
        const code = form.querySelector<HTMLInputElement>('[name=code]')
        code?.select()
        code?.focus()
      })
  })
  const outcome = outcomes[new URLSearchParams(location.search).get('sign_in') ?? '']
  fill(failure, outcome)
  const ended = hasEnded
    ? el('p', { class: 'notice' }, 'Your session has ended. Log in to go on where you were.')
    : null
  const app = document.querySelector('#app')
  app?.classList.remove('framed')
  if (app !== null)
    fill(
      app,
      el('main', { id: 'sign-in' }, el('h1', {}, 'Attestor ', el('span', {}, 'console')), ended, companyLink(), form),
    )
  form.querySelector('input')?.focus()
}

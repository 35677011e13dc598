import { ApiProblem, change, screenPath } from '../api.ts'
import { el, fill } from '../dom.ts'
import { addShortcut } from '../keyboard.ts'
import { followTransaction } from '../parts/follow.ts'
import { button, buttons, field, onSubmit } from '../parts/form.ts'
import { notice, problem } from '../parts/notice.ts'
import { recordHeading, recordParts } from '../parts/record.ts'
import { shorten, time } from '../parts/text.ts'
import { actWithUndo } from '../parts/undo.ts'
import type { ScreenContext } from '../screen.ts'
import type { QueuedReview } from '../shapes.ts'

const choices = [
  ['APPROVED', 'Approve', 'a', 'The document is genuine and the person is its holder.', 'Approved'],
  ['REJECTED', 'Reject', 'x', 'It must not pass.', 'Rejected'],
  ['UNDETERMINED', 'Leave undetermined', 'u', 'These pictures don’t show it.', 'Left undetermined'],
] as const

function radio([value, name, key, meaning]: (typeof choices)[number]): HTMLElement {
  return el(
    'label',
    { class: 'choice' },
    el('input', { type: 'radio', name: 'decision', value, required: true }),
    el('span', {}, el('b', {}, name), ' ', el('kbd', {}, key), el('small', { class: 'soft' }, meaning)),
  )
}

function addKeys(form: HTMLFormElement, signal: AbortSignal): void {
  for (const [value, name, key] of choices)
    addShortcut(
      key,
      name,
      () => {
        const input = form.querySelector<HTMLInputElement>(`[value=${value}]`)
        if (input === null || input.matches(':disabled')) return
        input.checked = true
        form.querySelector('textarea')?.focus()
      },
      signal,
    )
}

/** Decisions that were taken back, or that the service refused: their form has them again. */
const takenBack = new Map<string, { decision: string; reason: string; failure: string | null }>()

function decisionForm(id: string, { go, signal }: ScreenContext): HTMLFormElement {
  const failure = el('p', { class: 'failure', role: 'alert' })
  const reason = el('textarea', { name: 'reason', required: true, maxlength: 1000, rows: 3 })
  const form = el(
    'form',
    { class: 'card decide' },
    el(
      'fieldset',
      {},
      el('legend', {}, 'Your decision'),
      choices.map(radio),
      field('Reason', reason, 'Kept in the journal with your name. The integrator doesn’t see it.'),
      failure,
      buttons(el('button', { type: 'submit', class: 'primary' }, 'Decide')),
    ),
  )
  const taken = takenBack.get(id)
  takenBack.delete(id)
  if (taken !== undefined) {
    const input = form.querySelector<HTMLInputElement>(`[value=${taken.decision}]`)
    if (input !== null) input.checked = true
    reason.value = taken.reason
    fill(failure, taken.failure)
  }
  onSubmit(form, () => {
    const given = Object.fromEntries(new FormData(form)) as { decision: string; reason: string }
    const done = choices.find(([value]) => value === given.decision)?.[4] ?? ''
    actWithUndo({
      text: `${done}: ${shorten(id)}`,
      act: () => change('POST', `/transaction/${id}/review`, given),
      done: 'Decided',
      onUndo(reasonOfFailure) {
        takenBack.set(id, { ...given, failure: reasonOfFailure })
        go(`/reviews/${id}`)
      },
    })
    go('/reviews')
  })
  addKeys(form, signal)
  return form
}

/** Shows who looks at a case, and lets another take it over. */
function reviewerLine(id: string, { me, signal }: ScreenContext): HTMLElement {
  const element = el('div', {})
  const show = ({ reviewer }: QueuedReview): void => {
    const isOther = reviewer !== null && reviewer.operator_id !== me.operator_id
    fill(
      element,
      isOther && [
        notice(reviewer.name, ' has looked at it since ', time(reviewer.since), '.'),
        buttons(button('Take it over', () => claim(true))),
      ],
    )
  }
  const claim = (take_over: boolean): void => {
    change<QueuedReview>('POST', `/transaction/${id}/claim`, { take_over }).then(show, (error: unknown) => {
      // It awaits no review: the page says so.
      if (!(error instanceof ApiProblem && error.code === 'not_allowed_in_state') && !signal.aborted)
        fill(element, problem(error))
    })
  }
  claim(false)
  return element
}

/** Shows the pictures beside the findings, and a person’s decision. */
export async function showReview(context: ScreenContext): Promise<void> {
  const { params, show, setTitle } = context
  const [id = ''] = params
  const form = decisionForm(id, context)
  const over = el('div', {})
  const reviewer = reviewerLine(id, context)
  let isBuilt = false
  let reload = (): void => {}
  const { parts, render } = recordParts({ id, onChange: () => reload(), showsPictures: true })
  reload = await followTransaction(id, context, {
    onStep: () => {},
    onRecord(record) {
      render(record)
      for (const fieldset of form.querySelectorAll('fieldset')) fieldset.disabled = !record.actions.review
      const decided = record.review?.operator_name
        ? `${record.review.operator_name} has decided it.`
        : 'It does not await a review.'
      fill(over, !record.actions.review && notice(decided))
      if (isBuilt) return
      isBuilt = true
      setTitle(`Review ${shorten(id)}`)
      const { outcome, verdict, rules, duplicates, captures, personal } = parts
      show(
        recordHeading(
          'Review',
          id,
          outcome.element,
          el('a', { class: 'button', href: screenPath(`/transactions/${id}`) }, 'Whole transaction'),
        ),
        over,
        reviewer,
        verdict.element,
        el('div', { class: 'columns even' }, el('div', {}, captures.element, personal.element), el('div', {}, form)),
        duplicates.element,
        rules.element,
      )
    },
  })
}

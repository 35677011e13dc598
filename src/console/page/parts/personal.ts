import { get } from '../api.ts'
import { type Child, el, fill } from '../dom.ts'
import { icon } from '../icons.ts'
import type { CustomerPersonalData, PersonalData } from '../shapes.ts'
import { word } from '../words.ts'
import { problem } from './notice.ts'
import { facts } from './text.ts'

type Pair = readonly [string, Child]

/** A button that loads personal data; the audit log records each access. */
const onRequest = <T>(name: string, load: () => Promise<T>, show: (data: T) => Child): HTMLElement => {
  const place = el('div', { class: 'on-request', 'aria-live': 'polite' })
  const button = el('button', { type: 'button' }, icon('eye'), name)
  button.addEventListener('click', () => {
    button.disabled = true
    load().then(
      data => fill(place, show(data)),
      (error: unknown) => {
        button.disabled = false
        place.append(problem(error))
      },
    )
  })
  fill(
    place,
    el('p', { class: 'ask' }, button, el('span', { class: 'soft' }, 'The audit log records that you looked.')),
  )
  return place
}

const shown = (value: unknown): string => (value === null || value === undefined || value === '' ? '–' : String(value))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The plain members of an object. */
const listPairs = (value: unknown): readonly Pair[] =>
  isObject(value)
    ? Object.entries(value)
        .filter(([, inside]) => typeof inside !== 'object')
        .map(([name, inside]) => [word('rule', name), shown(inside)])
    : []

const part = (title: string, pairs: readonly Pair[]): Child => pairs.length > 0 && [el('h3', {}, title), facts(pairs)]

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inside, name) => (isObject(inside) ? inside[name] : null), value)

const customerPairs = (customer: CustomerPersonalData): readonly Pair[] => [
  ['External id', customer.external_customer_id],
  ['E-mail', shown(customer.email)],
  ['Telephone', shown(customer.phone_number)],
]

const showPersonal = (data: PersonalData): Child => [
  part('Customer', [['Reference', shown(data.reference)], ...customerPairs(data.customer)]),
  part('Read from the document', listPairs(at(data.result_data, 'document', 'data'))),
  part('Expected by the integrator', listPairs(data.expected_data)),
  data.review_reason !== null && part('Reviewer’s reason', [['Reason', data.review_reason]]),
  part('Device', listPairs(at(data.result_data, 'metadata', 'device'))),
  part('Network', listPairs(at(data.result_data, 'metadata', 'network'))),
  part('Location', listPairs(at(data.result_data, 'metadata', 'geolocation'))),
  data.delivery_answers.length > 0 && [
    el('h3', {}, 'Answers of the webhook’s receiver'),
    data.delivery_answers.map(({ attempt, answer }) => el('pre', { tabindex: 0 }, `Attempt ${attempt}\n${answer}`)),
  ],
  data.result_data !== null &&
    el(
      'details',
      {},
      el('summary', {}, 'Result as the integrator reads it'),
      el('pre', { tabindex: 0 }, JSON.stringify(data.result_data, null, 2)),
    ),
]

export const transactionPersonal = (id: string): HTMLElement =>
  onRequest('Show personal data', () => get<PersonalData>(`/transaction/${id}/personal`), showPersonal)

export const customerPersonal = (id: string): HTMLElement =>
  onRequest(
    'Show personal data',
    () => get<CustomerPersonalData>(`/customer/${id}/personal`),
    customer => facts(customerPairs(customer)),
  )

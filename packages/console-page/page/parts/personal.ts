import { get } from '../api.ts'
import { type Child, el, fill } from '../dom.ts'
import { icon } from '../icons.ts'
import type { CustomerPersonalData, PersonalData } from '../shapes.ts'
import { word } from '../words.ts'
import { button } from './form.ts'
import type { Read } from './marks.ts'
import { problem } from './notice.ts'
import { facts } from './text.ts'

type Pair = readonly [Child, Child]

/** Returns what shows the place of something that was read, under a name; null where it has none. */
export type Pointer = (read: Read, name: string) => (() => void) | null

/** A button that loads personal data; the audit log records each access. */
function onRequest<T>(name: string, load: () => Promise<T>, show: (data: T) => Child): HTMLElement {
  const place = el('div', { class: 'on-request', 'aria-live': 'polite' })
  const asking = button([icon('eye'), name], () => {
    asking.disabled = true
    load().then(
      data => fill(place, show(data)),
      (error: unknown) => {
        asking.disabled = false
        place.append(problem(error))
      },
    )
  })
  fill(
    place,
    el('p', { class: 'ask' }, asking, el('span', { class: 'soft' }, 'The audit log records that you looked.')),
  )
  return place
}

function shown(value: unknown): string {
  return value === null || value === undefined || value === '' ? '–' : String(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The plain members of an object. */
function listFields(value: unknown): readonly (readonly [string, string])[] {
  return isObject(value)
    ? Object.entries(value)
        .filter(([, inside]) => typeof inside !== 'object')
        .map(([name, inside]) => [name, name === 'source' ? word('source', shown(inside)) : shown(inside)])
    : []
}

function listPairs(value: unknown): readonly Pair[] {
  return listFields(value).map(([name, inside]) => [word('data', name), inside])
}

function lead(name: string, onclick: () => void): HTMLElement {
  return el('button', { type: 'button', class: 'lead', title: 'Show where it was read', onclick }, name)
}

/** The fields of the document. One whose place in the picture is known leads to it. */
function documentPairs(document: unknown, pointer: Pointer): readonly Pair[] {
  const [format, source] = [shown(at(document, 'mrz', 'format')), shown(at(document, 'source'))]
  return listFields(document).map(([field, value]) => {
    const name = word('data', field)
    const point = field === 'source' ? null : pointer({ field, source, format }, name)
    return [point === null ? name : lead(name, point), value]
  })
}

function part(title: string, pairs: readonly Pair[]): Child {
  return pairs.length > 0 && [el('h3', {}, title), facts(pairs)]
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inside, name) => (isObject(inside) ? inside[name] : null), value)
}

function customerPairs(customer: CustomerPersonalData): readonly Pair[] {
  return [
    ['External id', customer.external_customer_id],
    ['E-mail', shown(customer.email)],
    ['Telephone', shown(customer.phone_number)],
  ]
}

/** An attestation names the apps in a list. */
function listAttested(attested: unknown): readonly Pair[] {
  const apps = at(attested, 'apps')
  return [
    ...listPairs(attested),
    ...(Array.isArray(apps) && apps.length > 0 ? [['App', apps.join(', ')] as const] : []),
  ]
}

/** The lines of a document that rests on its print alone, or could not be read: a reviewer compares them. */
function showLines(lines: unknown, pointer: Pointer): Child {
  if (!Array.isArray(lines) || lines.length === 0) return null
  const shownLines = lines.map((line, number) => {
    const text = shown(line)
    const point = pointer({ line: number }, text)
    return el('li', {}, point === null ? text : lead(text, point))
  })
  return [el('h3', {}, 'Lines that were read'), el('ul', { class: 'lines' }, shownLines)]
}

function showPersonal(data: PersonalData, pointer: Pointer): Child {
  return [
    part('Customer', [['Reference', shown(data.reference)], ...customerPairs(data.customer)]),
    part('Read from the document', documentPairs(at(data.result_data, 'document', 'data'), pointer)),
    showLines(at(data.result_data, 'document', 'data', 'printed_lines'), pointer),
    part('Expected by the integrator', listPairs(data.expected_data)),
    data.review_reason !== null && part('Reviewer’s reason', [['Reason', data.review_reason]]),
    part('Device', listPairs(at(data.result_data, 'metadata', 'device'))),
    part('Attested by the device’s maker', listAttested(at(data.result_data, 'metadata', 'attestation'))),
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
}

export function transactionPersonal(id: string, pointer: Pointer = () => null): HTMLElement {
  const load = () => get<PersonalData>(`/transaction/${id}/personal`)
  return onRequest('Show personal data', load, data => showPersonal(data, pointer))
}

export function customerPersonal(id: string): HTMLElement {
  return onRequest(
    'Show personal data',
    () => get<CustomerPersonalData>(`/customer/${id}/personal`),
    customer => facts(customerPairs(customer)),
  )
}

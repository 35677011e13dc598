import { type Child, el } from '../dom.ts'
import { type IconName, icon } from '../icons.ts'
import type { Explanation, TransactionRecord } from '../shapes.ts'
import { word } from '../words.ts'
import { toned } from './badges.ts'
import { notice } from './notice.ts'
import { proof } from './proof.ts'
import { sectionTiles } from './rules.ts'
import { exactTime, time } from './text.ts'

type Issue = Explanation['issues'][number]

/** The effect of an issue on the decision, the weightiest first. */
const issueWeights = {
  rejects: ['bad', 'Rejects'],
  prevents_approval: ['unsure', 'Prevents approval'],
  warns: ['unsure', 'Warning'],
  not_measured: ['plain', 'Not measured'],
  notes: ['plain', 'Note'],
} as const

type IssueWeight = keyof typeof issueWeights

/** A browser can give hardly any signal of a device, and each that is missing warns. */
const missingSignals =
  /^(COMPROMISED_DEVICE|DEVELOPER_MODE|EMULATOR|VIRTUAL_CAMERA|BOOTLOADER|OTHER_APP|VPN_OR_PROXY|MOCK_LOCATION|GEO_IP_MISMATCH)_NOT_EVALUABLE$|^CONFIG_GPS_/

/** A warning may be the reason why the transaction was not approved: its rule shows that. */
function weighIssue({ type, code }: Issue, { rules }: Explanation): IssueWeight {
  if (type === 'REJECT') return 'rejects'
  if (rules.some(({ effect, issues }) => effect === 'prevents_approval' && issues.includes(code)))
    return 'prevents_approval'
  if (type !== 'WARN') return 'notes'
  return missingSignals.test(code) ? 'not_measured' : 'warns'
}

function issueItem(weight: IssueWeight, { code, message }: Issue): HTMLElement {
  const [tone, name] = issueWeights[weight]
  return el('li', {}, toned(tone, name), el('span', {}, message, ' ', el('code', {}, code)))
}

function issueList(explanation: Explanation): Child {
  const { issues } = explanation
  const listItems = (weight: IssueWeight) =>
    issues.filter(issue => weighIssue(issue, explanation) === weight).map(issue => issueItem(weight, issue))
  const main = [...listItems('rejects'), ...listItems('prevents_approval'), ...listItems('warns')]
  const notes = listItems('notes')
  const missing = listItems('not_measured')
  return [
    main.length > 0 && el('ul', { class: 'issues' }, main.slice(0, 3)),
    folded(main.slice(3), main.length === 4 ? '1 more reason' : `${main.length - 3} more reasons`),
    folded(missing, missing.length === 1 ? '1 signal was not measured' : `${missing.length} signals were not measured`),
    folded(notes, notes.length === 1 ? '1 note' : `${notes.length} notes`),
  ]
}

/** One line, until somebody opens it. */
function folded(items: readonly HTMLElement[], summary: string): Child {
  return (
    items.length > 0 &&
    el('details', { 'data-id': summary }, el('summary', {}, summary), el('ul', { class: 'issues' }, items))
  )
}

const deciders = {
  rules: 'Decided by the rules',
  operator: 'Decided by a reviewer',
  deadline: 'Nobody reviewed it in time',
} as const

function decider({ explanation, review, finished_at }: TransactionRecord): Child {
  const { decided_by, rules_decision } = explanation
  if (decided_by === null) return null
  const who =
    decided_by === 'operator' && review?.operator_name ? `Decided by ${review.operator_name}` : deciders[decided_by]
  const rules =
    decided_by !== 'rules' && rules_decision !== null
      ? ` The rules alone had said: ${word('decision', rules_decision).toLowerCase()}.`
      : ''
  return el('p', { class: 'soft' }, `${who}, `, time(finished_at), '.', rules)
}

function showFailure({ failure }: Explanation): Child {
  if (failure === null) return null
  return [
    el('p', {}, 'It ended as ', el('code', {}, failure.code), '.'),
    failure.attempts.length > 0 &&
      el(
        'ul',
        { class: 'attempts' },
        failure.attempts.map(({ attempt, failed_at, code, stage }) =>
          el(
            'li',
            {},
            `Attempt ${attempt}: `,
            el('code', {}, code),
            stage === null ? '' : ` in ${stage}`,
            ', ',
            exactTime(failed_at),
          ),
        ),
      ),
  ]
}

const signs: Readonly<Record<string, readonly [IconName, string]>> = {
  APPROVED: ['check', 'good'],
  REJECTED: ['cross', 'bad'],
  UNDETERMINED: ['question', 'unsure'],
  FAILED: ['warn', 'bad'],
}

/** The decision as a sentence, and its reasons. */
export function verdict(record: TransactionRecord): HTMLElement {
  const { explanation, status, decision, review } = record
  const known = status === 'FAILED' ? 'FAILED' : (decision ?? explanation.rules_decision ?? '')
  const [sign, tone] = signs[known] ?? ['dash', 'plain']
  return el(
    'section',
    { class: `card verdict ${tone}`, 'aria-labelledby': 'verdict' },
    el(
      'div',
      { class: 'sentence' },
      el('span', { class: 'sign' }, icon(sign)),
      el('h2', { id: 'verdict' }, explanation.sentence),
    ),
    decider(record),
    review?.state === 'awaiting' && el('p', {}, 'A reviewer must decide by ', time(review.due_at), '.'),
    explanation.trace_is_pinned === false &&
      notice('The stored trace is not the one that the journal names: somebody may have changed it.'),
    explanation.rules.length > 0 && sectionTiles(explanation),
    proof(explanation),
    issueList(explanation),
    showFailure(explanation),
  )
}

import { type Child, el, svg } from '../dom.ts'
import type { ExplainedRule, Explanation } from '../shapes.ts'
import { word } from '../words.ts'
import { badge, toned } from './badges.ts'

function number(value: number): string {
  return value.toLocaleString('en-GB', { maximumFractionDigits: 3 })
}

function passing({ threshold, passes_when, score_decides }: ExplainedRule): string {
  if (threshold === null || passes_when === null) return ''
  const limit = passes_when === 'at_least' ? `passes from ${number(threshold)} up` : `passes up to ${number(threshold)}`
  return score_decides ? limit : `${limit}; here another measurement decided`
}

/** Score and threshold on a line, of which the part that passes is marked. */
function meter({ score, threshold, passes_when }: ExplainedRule): SVGSVGElement | null {
  if (score === null || threshold === null || passes_when === null) return null
  const low = Math.min(0, score, threshold)
  const high = Math.max(1, score * 1.1, threshold * 1.1)
  const at = (value: number): number => ((value - low) / (high - low)) * 100
  const limit = at(threshold)
  const [x, width] = passes_when === 'at_least' ? [limit, 100 - limit] : [0, limit]
  return svg(
    'svg',
    { class: 'meter', viewBox: '0 0 100 12', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('rect', { class: 'track', x: 0, y: 4, width: 100, height: 4 }),
    svg('rect', { class: 'passing', x, y: 4, width, height: 4 }),
    svg('rect', { class: 'limit', x: limit - 0.5, y: 1, width: 1, height: 10 }),
    svg('rect', { class: 'score', x: at(score) - 1.5, y: 0, width: 3, height: 12 }),
  )
}

const weights: Readonly<Record<string, number>> = { rejects: 0, prevents_approval: 1, warns: 2, supports: 3, none: 4 }

function weigh({ effect }: ExplainedRule): number {
  return weights[effect] ?? 4
}

/** The outcome of a section: the effect of its weightiest rule. */
function sectionBadge(rules: readonly ExplainedRule[]): HTMLElement {
  const heaviest = Math.min(...rules.map(weigh))
  if (heaviest === 0) return toned('bad', 'Rejects')
  if (heaviest === 1) return toned('unsure', 'Prevents approval')
  if (rules.every(({ status }) => status !== 'PASSED')) return toned('unsure', 'Not evaluated')
  return heaviest === 2 ? toned('good', 'Passed, with a warning') : toned('good', 'Passed')
}

/** The outcome of a rule. Even one that passed may have raised an issue. */
function outcome({ status, score, effect }: ExplainedRule): HTMLElement {
  if (status === 'NOT_EXECUTED' && score !== null) return toned('plain', 'Not conclusive')
  return status === 'PASSED' && effect === 'warns' ? toned('unsure', 'Noticed') : badge('outcome', status)
}

function scored(rule: ExplainedRule): Child {
  return (
    rule.score !== null && [
      el('span', { class: 'nowrap' }, number(rule.score)),
      meter(rule),
      el('small', { class: 'soft' }, passing(rule)),
    ]
  )
}

function row(rule: ExplainedRule): HTMLElement {
  return el(
    'tr',
    { class: rule.effect },
    el('th', { scope: 'row', 'data-name': 'Check' }, word('rule', rule.rule)),
    el('td', { 'data-name': 'Result', class: 'first' }, el('div', {}, outcome(rule))),
    el('td', { 'data-name': 'Score', class: rule.score === null ? 'nothing' : 'score' }, el('div', {}, scored(rule))),
    el('td', { 'data-name': 'Counts as' }, el('div', {}, word('effect', rule.effect))),
  )
}

function describeEngine(rules: readonly ExplainedRule[]): string | null {
  const engine = rules.find(rule => rule.engine !== null)?.engine
  return engine === null || engine === undefined ? null : `checked by ${engine.name} ${engine.version}`
}

const headings = ['Check', 'Result', 'Score', 'Counts as']

/** The checks of a section, folded unless one of them stands against an approval. */
function sectionTable(section: string, rules: readonly ExplainedRule[]): HTMLElement {
  return el(
    'details',
    { open: rules.some(rule => weigh(rule) <= 1), 'data-id': section },
    el('summary', {}, word('section', section), ' ', sectionBadge(rules), ' ', el('small', {}, describeEngine(rules))),
    el(
      'table',
      { class: 'cards' },
      el('caption', { class: 'hidden' }, `${word('section', section)}: every check, with its score and how it counts`),
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          headings.map(name => el('th', { scope: 'col' }, name)),
        ),
      ),
      el('tbody', {}, [...rules].sort((a, b) => weigh(a) - weigh(b)).map(row)),
    ),
  )
}

function allRules({ rules }: Explanation): HTMLElement {
  const sections = [...new Set(rules.map(({ section }) => section))]
  return el(
    'div',
    { class: 'rules brief' },
    sections.map(section =>
      sectionTable(
        section,
        rules.filter(rule => rule.section === section),
      ),
    ),
  )
}

/** Every rule with its score, its threshold and its effect on the decision. Rules without effect are shown on request. */
export function rulesTable(explanation: Explanation): HTMLElement {
  const table = allRules(explanation)
  const count = explanation.rules.filter(({ effect }) => effect === 'none').length
  const name = count === 1 ? 'Show 1 check that does not count' : `Show ${count} checks that do not count`
  const button = el('button', { type: 'button', 'aria-expanded': 'false' }, name)
  button.addEventListener('click', () => {
    const isBrief = table.classList.toggle('brief')
    if (!isBrief) for (const section of table.querySelectorAll('details')) section.open = true
    button.setAttribute('aria-expanded', String(!isBrief))
  })
  return el('div', { 'data-whole': true }, table, count > 0 && el('p', { class: 'more' }, button))
}

/** Lists the rules of a section that speak against the person, the weightiest first. */
export function objections({ rules }: Explanation, section: string): HTMLElement | false {
  const against = rules.filter(rule => rule.section === section && weigh(rule) <= 2).sort((a, b) => weigh(a) - weigh(b))
  return (
    against.length > 0 &&
    el(
      'ul',
      { class: 'issues' },
      against.map(rule =>
        el(
          'li',
          {},
          toned(rule.effect === 'rejects' ? 'bad' : 'unsure', word('effect', rule.effect)),
          el('span', {}, word('rule', rule.rule), scored(rule) && [': ', scored(rule)]),
        ),
      ),
    )
  )
}

/** One tile for each section, as the overview. */
export function sectionTiles({ rules }: Explanation): HTMLElement {
  const sections = [...new Set(rules.map(({ section }) => section))]
  return el(
    'ul',
    { class: 'tiles' },
    sections.map(section =>
      el(
        'li',
        {},
        el('span', {}, word('section', section)),
        sectionBadge(rules.filter(rule => rule.section === section)),
      ),
    ),
  )
}

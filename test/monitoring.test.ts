import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import test from 'ava'
import { parse } from 'yaml'
import { describeMetrics } from '../src/node/metrics/metrics.ts'
import { sqlite } from './database.ts'
import { codeOf, readPages } from './markdown.ts'
import { verify } from './service/outcomes.ts'
import { openTestRig } from './service/rig.ts'

const root = join(import.meta.dirname, '..')

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

const token = 'a-token-of-the-operators'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const rules = (parse(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  group => group.rules,
)
interface Scenario {
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly object[] }[]
}

/** Checks of the rules by promtool. */
const checks = (parse(read('deploy/prometheus/alerts.test.yaml')) as { tests: Scenario[] }).tests.flatMap(
  scenario => scenario.alert_rule_test,
)
const { panels } = JSON.parse(read('deploy/grafana/attestor.json')) as { readonly panels: readonly Panel[] }
const targets = panels.flatMap(panel => panel.targets ?? [])

/** Expressions that the operator's pages say in their text. */
const said = readPages()
  .filter(({ file }) => file.startsWith('docs/operate/'))
  .flatMap(({ text }) => codeOf(text))
  .filter(code => /^[^\n]*\b(?:attestor|process|nodejs)_\w+[^\n]*$/.test(code))

/** Prometheus' own grammar, which refuses a text that is no expression. */
const grammar = parser.configure({ strict: true })

/** Labels that Prometheus itself adds to every series, and its own metric of a scrape. */
const addedLabels = ['instance', 'job']
const ownMetrics = ['up']

/** Metrics of an expression, each with the labels that it is selected by; and the labels that it groups by. */
function readExpression(expr: string) {
  return {
    selected: [...expr.matchAll(/\b(up|(?:attestor|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(
      ([, name = '', inside = '']) => ({
        name,
        labels: [...inside.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label),
      }),
    ),
    grouped: [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/)),
  }
}

const histogramSuffixes = ['_count', '_sum', '_bucket']

/** Names in the text that Prometheus reads, with a sample or without. */
function readNames(text: string): readonly string[] {
  return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? histogramSuffixes.map(suffix => `${name}${suffix}`) : [name],
  )
}

/** The labels of each metric in the text that Prometheus reads; of one without a sample, as it is described. */
function readLabels(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const labels = new Map(readNames(text).map(name => [name, new Set<string>()]))
  for (const [, name = '', inside = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = labels.get(name) ?? new Set()
    for (const [, label = ''] of inside.matchAll(/(\w+)="/g)) known.add(label)
    labels.set(name, known)
  }
  for (const { name, type, labels: described } of describeMetrics())
    for (const suffix of type === 'histogram' ? histogramSuffixes : [''])
      labels.set(`${name}${suffix}`, new Set([...described, ...(suffix === '_bucket' ? ['le'] : [])]))
  return labels
}

function findFaults(expr: string, known: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const { selected, grouped } = readExpression(expr)
  if (selected.length === 0) return [`${expr}: names no metric`]
  return selected.flatMap(({ name, labels }) => {
    if (ownMetrics.includes(name)) return []
    const own = known.get(name)
    if (own === undefined) return [`${name}: no such metric`]
    return [...labels, ...grouped]
      .filter(label => !own.has(label) && !addedLabels.includes(label))
      .map(label => `${name}: has no label ${label}`)
  })
}

test('Alerts, the dashboard and the pages name metrics and labels that a running service has', async t => {
  const rig = await openTestRig(t, sqlite, { METRICS_TOKEN: token })
  await verify(rig)
  const { text } = await rig.call('GET', '/metrics', { token })
  const known = readLabels(text)
  for (const { name, type } of describeMetrics()) t.regex(text, new RegExp(`^# TYPE ${name} ${type}$`, 'm'), name)
  t.true(said.length > 20)
  // A page may name a histogram without saying which of its series.
  const series = said.map(code => (known.has(`${code}_count`) ? `${code}_count` : code))
  const expressions = [
    ...[...rules, ...targets].map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')),
    ...series,
  ]
  for (const expr of expressions) t.notThrows(() => grammar.parse(expr), expr)
  t.throws(() => grammar.parse('sum by (le (attestor_steps_total)'))
  t.deepEqual(
    expressions.flatMap(expr => findFaults(expr, known)),
    [],
  )
  t.deepEqual(findFaults('sum by (none) (attestor_steps_total)', known), ['attestor_steps_total: has no label none'])
  t.deepEqual(findFaults('attestor_steps', known), ['attestor_steps: no such metric'])
  for (const { expr, legendFormat } of targets)
    for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
      t.true(
        [
          ...addedLabels,
          ...readExpression(expr).grouped,
          ...readExpression(expr).selected.flatMap(({ name }) => [...(known.get(name) ?? [])]),
        ].includes(label),
        `${expr}: ${label}`,
      )
})

test('Every alert has a section of its own, and every section an alert', t => {
  const page = read('docs/operate/alerts.md')
  const sections = [...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
  t.deepEqual(sections.toSorted(), rules.map(({ alert }) => alert).toSorted())
  for (const { alert, labels, annotations } of rules) {
    t.is(annotations.runbook, `docs/operate/alerts.md#${alert.toLowerCase()}`)
    t.true(page.includes(`## ${alert}\n\n${annotations.summary.slice(0, -1)}`), alert)
    t.true(['page', 'ticket'].includes(labels.severity))
  }
})

test('Every alert has a scenario in which it fires, and one in which it is silent', t => {
  const alerts = rules.map(({ alert }) => alert).toSorted()
  const named = (fires: boolean) =>
    [...new Set(checks.filter(check => check.exp_alerts.length > 0 === fires).map(check => check.alertname))].toSorted()
  t.deepEqual(named(true), alerts)
  t.deepEqual(named(false), alerts)
})

test('Metrics are named as Prometheus names them', t => {
  const units = /_(seconds|bytes|info|total)$/
  for (const { name, type, help, labels } of describeMetrics()) {
    t.regex(name, /^attestor_[a-z]+(_[a-z]+)*$/)
    t.is(type === 'counter', name.endsWith('_total'), `${name}: counters end in _total, and nothing else does`)
    if (type === 'histogram') t.regex(name, /_seconds$/, name)
    t.notRegex(name, /_(ms|milliseconds|minutes|hours|days|kb|mb|count|sum|bucket)$/, `${name}: base units`)
    t.true(help.length > 0 && !help.endsWith('.'), name)
    t.true(units.test(name) || type === 'gauge', name)
    for (const label of labels) t.regex(label, /^[a-z]+(_[a-z]+)*$/)
  }
})

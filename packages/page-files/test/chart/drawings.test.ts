import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import sharp from 'sharp'
import { inLongTier } from '../../../../test/tier.ts'
import { drawCharts, drawingsFolder } from '../../../../tools/draw_charts.ts'
import { type ChartTransition, chartGraph, drawnStates } from '../../../../tools/drawing/graph.ts'
import { type Box, layoutChart } from '../../../../tools/drawing/layout.ts'
import { mermaidId } from '../../../../tools/drawing/mermaid.ts'
import { createOverview } from '../../../../tools/drawing/overview.ts'
import { drawSvg } from '../../../../tools/drawing/svg.ts'
import { transitionText } from '../../../../tools/drawing/text.ts'
import { knownCharts } from '../../chart/known_charts.ts'

function read(file: string): string {
  return readFileSync(join(drawingsFolder, file), 'utf8')
}

test('The drawings are those of the charts, and there are no others', async t => {
  const drawings = await drawCharts()
  t.deepEqual(readdirSync(drawingsFolder).sort(), Object.keys(drawings).sort(), 'run `npm run machines:draw`')
  for (const [file, text] of Object.entries(drawings)) t.is(read(file), text, `${file}: run \`npm run machines:draw\``)
})

function attribute(svg: string, name: string): readonly string[] {
  return [...svg.matchAll(new RegExp(` data-${name}="([^"]*)"`, 'g'))].map(([, value]) => value ?? '')
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  )
}

for (const { name, file, definition } of knownCharts) {
  const graph = chartGraph(definition)

  inLongTier(test)(
    `The picture of the ${name} chart has every state and transition, by name, and is a picture`,
    async t => {
      const svg = read(`${file}.svg`)
      t.deepEqual(
        attribute(svg, 'state'),
        drawnStates(graph).map(({ path }) => path),
      )
      t.deepEqual(attribute(svg, 'transition').toSorted(), graph.transitions.map(({ id }) => id).toSorted())
      t.is(new Set(attribute(svg, 'transition')).size, graph.transitions.length)
      for (const { description } of [...drawnStates(graph), ...graph.transitions])
        t.true(svg.includes(`: ${description}</title>`), `${description}`)
      t.regex(svg, /role="img" aria-labelledby="\w+-title \w+-desc"/)
      t.regex(svg, /@media\(prefers-color-scheme:dark\)/)
      const { channels } = await sharp(Buffer.from(svg)).stats()
      t.true(channels.slice(0, 3).every(({ stdev }) => stdev > 5))
    },
  )

  // The capture chart's takes five times as long as the others together.
  const register = name === 'capture' ? inLongTier(test) : test
  register(`The picture of the ${name} chart has nothing drawn over a label`, async t => {
    const { states, edges, width, height } = await layoutChart(graph)
    const labels = edges.flatMap(({ label }) => (label === null ? [] : [label]))
    t.is(labels.length, graph.transitions.filter(({ internal }) => !internal).length)
    const leaves = drawnStates(graph).flatMap(({ path, states: inner }) => {
      const frame = states.get(path)
      return inner.length > 0 || frame === undefined ? [] : [frame]
    })
    const page = { x: 0, y: 0, width, height }
    for (const [index, label] of labels.entries()) {
      t.true(overlap(label, page) && label.x >= 0 && label.x + label.width <= width)
      for (const other of [...labels.slice(index + 1), ...leaves])
        t.false(overlap(label, other), JSON.stringify([label, other]))
    }
  })

  test(`The Mermaid diagram of the ${name} chart has every state and transition, and no others`, t => {
    const lines = read(`${file}.mmd`)
      .split('\n')
      .map(line => line.trim())
    const declared = lines.flatMap(line => /^state ".+" as (\w+)/.exec(line)?.[1] ?? [])
    t.deepEqual(
      declared.toSorted(),
      drawnStates(graph)
        .map(({ path }) => mermaidId(path))
        .toSorted(),
    )
    const toArrow = (one: ChartTransition) =>
      `${mermaidId(one.source)} --> ${mermaidId(one.target)}: ${transitionText(one)}`
    const arrows = lines.filter(line => line.includes(' --> ') && !line.includes('[*]'))
    const external = graph.transitions.filter(({ internal }) => !internal)
    t.deepEqual(arrows.toSorted(), external.map(toArrow).toSorted())
    // Its text is in a state's box, or in the note beside a group.
    for (const one of graph.transitions.filter(({ internal }) => internal)) {
      const text = transitionText(one)
      t.true(lines.includes(`${mermaidId(one.source)}: ${text}`) || lines.includes(text), one.id)
    }
  })
}

const statuses = ['CREATED', 'INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED', 'FAILED', 'EXPIRED']

test('The overview shows the seven statuses, from the first to the last, and the transitions between them', async t => {
  const svg = read('transaction.v1.overview.svg')
  t.deepEqual(
    attribute(svg, 'status').filter(status => status !== ''),
    statuses,
  )
  const transaction = knownCharts.find(({ name }) => name === 'transaction')
  const { graph, states } = await layoutChart(createOverview(chartGraph(transaction?.definition ?? {})))
  const boxes = statuses.map(status => [...states].find(([path]) => path.endsWith(status))?.[1])
  const tops = boxes.map(box => box?.y ?? Number.NaN)
  for (const [index, top] of tops.slice(1, 5).entries()) t.true(top > (tops[index] ?? Number.NaN), statuses[index + 1])
  t.true(Math.max(...tops.slice(4)) - Math.min(...tops.slice(4)) < 20, 'the ends are side by side')
  t.deepEqual(
    graph.transitions.map(({ source, target, name, trigger }) => [source, target, name, trigger].join(' ')),
    [
      'open FAILED CANCEL event',
      'open EXPIRED TTL after',
      'open.CREATED open.INITIATED START event',
      'open.INITIATED submitted COMPLETE event',
      'submitted FAILED CANCEL event',
      'submitted.COMPLETED submitted.PROCESSING admission done',
      'submitted.COMPLETED FAILED admission error',
      'submitted.PROCESSING FAILED ANALYSIS_DEADLINE after',
      'submitted.PROCESSING FINISHED analysis done',
      'submitted.PROCESSING FAILED analysis error',
      'submitted.PROCESSING FINISHED REVIEWED event',
      'submitted.PROCESSING FINISHED REVIEW_DEADLINE after',
    ],
  )
})

test("A chart's texts are written as text, never as markup", async t => {
  const description = 'Is <script>alert("&")</script> text?'
  const layout = await layoutChart(chartGraph({ id: 'c', initial: 'a', states: { a: { description } } }))
  const svg = drawSvg(layout, { title: '<b>' })
  t.false(/<script|<b>/.test(svg))
  t.true(svg.includes('c.a: Is &lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt; text?'))
  t.is((await sharp(Buffer.from(svg)).metadata()).width, layout.width)
})

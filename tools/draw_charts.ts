import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { knownCharts } from '@attestor/page-files'
import { allStates, chartGraph } from './drawing/graph.ts'
import { layoutChart } from './drawing/layout.ts'
import { drawMermaid } from './drawing/mermaid.ts'
import { createOverview } from './drawing/overview.ts'
import { drawSvg } from './drawing/svg.ts'

/**
 * `npm run machines:draw`: draws every version of every chart, and an overview if its statuses contain states. A test
 * compares the files with the output of this program.
 */

export const drawingsFolder = join(import.meta.dirname, '../machines/drawings')

/** Drawings by file name. */
export async function drawCharts(): Promise<Readonly<Record<string, string>>> {
  const drawn = knownCharts.map(async ({ name, version, definition, file }) => {
    const graph = chartGraph(definition)
    const title = `The ${name} chart, version ${version}`
    const overview = createOverview(graph)
    const isSmaller = allStates(overview.root).length < allStates(graph.root).length
    const small = isSmaller ? drawSvg(await layoutChart(overview), { title: `${title}: its statuses` }) : null
    return {
      [`${file}.svg`]: drawSvg(await layoutChart(graph), { title }),
      [`${file}.mmd`]: drawMermaid(graph),
      ...(small === null ? {} : { [`${file}.overview.svg`]: small }),
    }
  })
  return Object.assign({}, ...(await Promise.all(drawn)))
}

if (import.meta.main) {
  const drawings = await drawCharts()
  mkdirSync(drawingsFolder, { recursive: true })
  for (const file of readdirSync(drawingsFolder)) if (!(file in drawings)) rmSync(join(drawingsFolder, file))
  for (const [file, text] of Object.entries(drawings)) writeFileSync(join(drawingsFolder, file), text)
}

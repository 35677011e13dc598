import { z } from 'zod'
import { meaning } from '../../schemas/fields.ts'

const name = z.string().meta(meaning('Which chart: `transaction` or `delivery`.', 'transaction'))

const versionMeaning = meaning('Which version of it, from 1.', 1)

/** A version is compared as text, because it has only one spelling. */
export const chartPath = {
  name,
  version: z.string().meta({ ...versionMeaning, override: { type: 'integer', minimum: 1 } }),
}

function urlTo(description: string, ending = '') {
  return z.url().meta(meaning(description, `https://id.example/charts/transaction/1${ending}`))
}

export const listedChart = z
  .object({
    name,
    version: z.number().int().meta(versionMeaning),
    url: urlTo('Where the definition is, as JSON.'),
    svg_url: urlTo('Where the chart is as an SVG picture.', '.svg'),
    mermaid_url: urlTo('Where the chart is as Mermaid text.', '.mmd'),
  })
  .meta({ id: 'ListedChart' })

const definition = z.looseObject({}).meta({
  description: 'The machine’s `config`: states, transitions, and the names of guards, actions, jobs and delays.',
  example: { id: 'transaction' },
})

export const chart = z.object({ ...listedChart.shape, definition }).meta({ id: 'Chart' })

export const unchanged = { description: 'Unchanged since the `ETag` that `If-None-Match` names.' }

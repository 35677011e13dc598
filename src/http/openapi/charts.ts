import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import type { ListedChart, PublishedChart } from '../charts.ts'
import { json, refusals } from './shapes.ts'

const of_path = {
  name: z.string().meta({ description: 'Which chart: `transaction` or `delivery`.', examples: ['transaction'] }),
  version: z
    .number()
    .int()
    .meta({ description: 'Which version of it, from 1.', examples: [1] }),
}

const urlTo = (description: string, ending = '') =>
  z.url().meta({ description, examples: [`https://id.example/charts/transaction/1${ending}`] })

const of_all = {
  ...of_path,
  url: urlTo('Its definition.'),
  svg_url: urlTo('Its picture.', '.svg'),
  mermaid_url: urlTo('Its Mermaid text.', '.mmd'),
}

const definition = z.looseObject({}).meta({
  description: 'The machine’s `config`: states, transitions, and the names of guards, actions, jobs and delays.',
  examples: [{ id: 'transaction' }],
})

const listed = z.object(of_all).meta({ id: 'ListedChart' }) satisfies z.ZodType<ListedChart>

const chart = z.object({ ...of_all, definition }).meta({ id: 'Chart' }) satisfies z.ZodType<
  Omit<PublishedChart, 'definition'>
>

const unchanged = { 304: { description: 'Unchanged since the `ETag` that `If-None-Match` names.' } }

const drawing = (media: string) => ({
  200: { description: 'The drawing.', content: { [media]: { schema: z.string() } } },
  ...unchanged,
  ...refusals(404),
})

const of_charts = { tags: ['Records'], security: [] }
const path = { requestParams: { path: z.object(of_path) } }

/** The state charts that transactions and deliveries follow. */
export const chart_paths: ZodOpenApiPathsObject = {
  '/charts': {
    get: {
      ...{ operationId: 'listCharts', summary: 'The state charts, in every known version', ...of_charts },
      responses: {
        200: json('The oldest version first.', z.object({ data: z.array(listed) })),
        ...unchanged,
        ...refusals(),
      },
    },
  },
  '/charts/{name}/{version}': {
    get: {
      ...{ operationId: 'getChart', summary: 'A state chart’s definition', ...of_charts, ...path },
      responses: { 200: json('The definition.', chart), ...unchanged, ...refusals(404) },
    },
  },
  '/charts/{name}/{version}.svg': {
    get: {
      ...{ operationId: 'getChartPicture', summary: 'A state chart as a picture', ...of_charts, ...path },
      responses: drawing('image/svg+xml'),
    },
  },
  '/charts/{name}/{version}.mmd': {
    get: {
      ...{ operationId: 'getChartDiagram', summary: 'A state chart as Mermaid text', ...of_charts, ...path },
      responses: drawing('text/vnd.mermaid'),
    },
  },
}

import { z } from 'zod'
import { meaning } from '../../schemas/fields.ts'
import { defineEndpoint } from '../endpoint.ts'
import { sendPublication } from '../publication.ts'
import { chart, chartPath, listedChart, unchanged } from '../shapes/chart.ts'

const list = z.object({ data: z.array(listedChart).meta(meaning('Every version of every chart.')) })

export const listCharts = defineEndpoint({
  method: 'get',
  path: '/charts',
  operationId: 'listCharts',
  summary: 'The state charts, in every known version',
  description:
    'Every state chart in every known version: a transaction’s journal names the version that took each event.',
  tag: 'Charts',
  authentication: 'none',
  responses: {
    200: { description: 'The oldest version first.', content: { 'application/json': { schema: list } } },
    304: unchanged,
  },
  handler: ({ ctx }, { charts }) => sendPublication(ctx, charts.list),
})

/** A picture that is opened by itself may use its own style, and nothing else. */
const policy = "default-src 'none';style-src 'unsafe-inline';frame-ancestors 'none';sandbox"

export const getChartPicture = defineEndpoint({
  method: 'get',
  path: '/charts/{name}/{version}.svg',
  operationId: 'getChartPicture',
  summary: 'A state chart as a picture',
  description:
    'The chart as an SVG, light and dark. Each state has a `data-state`, each transition a `data-transition`.',
  tag: 'Charts',
  authentication: 'none',
  request: { path: chartPath },
  responses: {
    200: { description: 'The drawing.', content: { 'image/svg+xml': { schema: z.string() } } },
    304: unchanged,
  },
  errors: [404],
  handler: ({ path, ctx }, { charts }) =>
    sendPublication(ctx, charts.find('svg', path.name, path.version), { 'Content-Security-Policy': policy }),
})

export const getChartDiagram = defineEndpoint({
  method: 'get',
  path: '/charts/{name}/{version}.mmd',
  operationId: 'getChartDiagram',
  summary: 'A state chart as Mermaid text',
  description: 'The chart as a `stateDiagram-v2`, which Mermaid and many wikis draw.',
  tag: 'Charts',
  authentication: 'none',
  request: { path: chartPath },
  responses: {
    200: { description: 'The drawing.', content: { 'text/vnd.mermaid': { schema: z.string() } } },
    304: unchanged,
  },
  errors: [404],
  handler: ({ path, ctx }, { charts }) => sendPublication(ctx, charts.find('mmd', path.name, path.version)),
})

export const getChart = defineEndpoint({
  method: 'get',
  path: '/charts/{name}/{version}',
  operationId: 'getChart',
  summary: 'A state chart’s definition',
  description: 'As JSON, for XState and Stately’s editor. Code, so that it needs no token.',
  tag: 'Charts',
  authentication: 'none',
  request: { path: chartPath },
  responses: {
    200: { description: 'The definition.', content: { 'application/json': { schema: chart } } },
    304: unchanged,
  },
  errors: [404],
  handler: ({ path, ctx }, { charts }) => sendPublication(ctx, charts.find('json', path.name, path.version)),
})

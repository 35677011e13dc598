import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type Router from '@koa/router'
import type { Context } from 'koa'
import { ApiError } from '../base/api_error.ts'
import type { ChartDefinition } from '../charts/definition.ts'
import { type KnownChart, known_charts } from '../charts/known_charts.ts'
import { keptContent } from './outgoing.ts'

/** A chart as it is listed, with where it is to be had. */
export interface ListedChart {
  readonly name: string
  readonly version: number
  readonly url: string
  readonly svg_url: string
  readonly mermaid_url: string
}

/** A chart with its definition, as JSON. */
export interface PublishedChart extends ListedChart {
  readonly definition: ChartDefinition
}

const drawings = join(import.meta.dirname, '../../machines/drawings')

/** Something that is the same for whoever asks, until another build is installed. */
interface Published {
  readonly type: string
  readonly content: Buffer
  readonly etag: string
}

const published = (type: string, text: string): Published => ({
  type,
  content: keptContent(text),
  etag: `"${createHash('sha256').update(text).digest('base64url')}"`,
})

const listed = (base_url: string, { name, version }: KnownChart): ListedChart => {
  const url = `${base_url}/charts/${name}/${version}`
  return { name, version, url, svg_url: `${url}.svg`, mermaid_url: `${url}.mmd` }
}

/** The ways to have a chart, by how its path ends. */
const forms: Readonly<Record<string, (base_url: string, chart: KnownChart) => Published>> = {
  '.svg': (_, { file }) => published('image/svg+xml', readFileSync(join(drawings, `${file}.svg`), 'utf8')),
  '.mmd': (_, { file }) => published('text/vnd.mermaid', readFileSync(join(drawings, `${file}.mmd`), 'utf8')),
  '': (base_url, chart) => {
    const described: PublishedChart = { ...listed(base_url, chart), definition: chart.definition }
    return published('application/json', JSON.stringify(described))
  },
}

/** RFC 9110 §13.1.2. Koa's own `fresh` says no wherever `fetch` asks, which adds `Cache-Control: no-cache`. */
const isKnown = (ctx: Context, etag: string): boolean =>
  ctx
    .get('If-None-Match')
    .split(',')
    .some(known => ['*', etag].includes(known.trim().replace(/^W\//, '')))

const answer = (ctx: Context, { type, content, etag }: Published): void => {
  ctx.set({ 'Cache-Control': 'public, max-age=300', ETag: etag })
  if (isKnown(ctx, etag)) ctx.status = 304
  else {
    ctx.type = type
    ctx.body = content
  }
}

/** A picture that is opened by itself brings its style, and nothing else. */
const picture_policy = "default-src 'none';style-src 'unsafe-inline';frame-ancestors 'none';sandbox"

/**
 * The charts that this build knows: code, so that they need no token and hold nobody's data. A journal names the version
 * that each of its events was taken by, and here is what that version is.
 */
export const chartRoutes = (router: Router, base_url: string): void => {
  const list = published('application/json', JSON.stringify({ data: known_charts.map(one => listed(base_url, one)) }))
  router.get('/charts', ctx => answer(ctx, list))

  for (const [ending, publishedOf] of Object.entries(forms)) {
    const known = new Map(
      known_charts.map(chart => [[chart.name, chart.version].join('/'), publishedOf(base_url, chart)] as const),
    )
    router.get(`/charts/:name/:version${ending}`, ctx => {
      const { name = '', version = '' } = ctx.params
      const found = known.get(`${name}/${version}`)
      if (found === undefined) {
        const is_named = known_charts.some(chart => chart.name === name)
        throw new ApiError('not_found', `${is_named ? 'version' : 'name'}: not found`)
      }
      if (ending === '.svg') ctx.set('Content-Security-Policy', picture_policy)
      answer(ctx, found)
    })
  }
}

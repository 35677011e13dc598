import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KnownChart, knownCharts } from '@attestor/page-files'
import type { z } from 'zod'
import { ApiError } from '../base/api_error.ts'
import { type Publication, publish } from './publication.ts'
import type { listedChart } from './shapes/chart.ts'

type ChartFormat = 'json' | 'svg' | 'mmd'

/** The charts of this build, as they are sent. */
export interface PublishedCharts {
  readonly list: Publication
  /** @throws {ApiError} `not_found` */
  find(format: ChartFormat, name: string, version: string): Publication
}

const drawings = join(import.meta.dirname, '../../machines/drawings')

function toListed(baseUrl: string, { name, version }: KnownChart): z.output<typeof listedChart> {
  const url = `${baseUrl}/charts/${name}/${version}`
  return { name, version, url, svg_url: `${url}.svg`, mermaid_url: `${url}.mmd` }
}

function readDrawing(file: string): string {
  return readFileSync(join(drawings, file), 'utf8')
}

function publishFormats(baseUrl: string, chart: KnownChart): Readonly<Record<ChartFormat, Publication>> {
  return {
    json: publish('application/json', JSON.stringify({ ...toListed(baseUrl, chart), definition: chart.definition })),
    svg: publish('image/svg+xml', readDrawing(`${chart.file}.svg`)),
    mmd: publish('text/vnd.mermaid', readDrawing(`${chart.file}.mmd`)),
  }
}

export function publishCharts(baseUrl: string): PublishedCharts {
  const data = knownCharts.map(chart => toListed(baseUrl, chart))
  const formats = new Map<string, Readonly<Record<ChartFormat, Publication>>>(
    knownCharts.map(chart => [`${chart.name}/${chart.version}`, publishFormats(baseUrl, chart)] as const),
  )
  return {
    list: publish('application/json', JSON.stringify({ data })),
    find(format, name, version) {
      const found = formats.get(`${name}/${version}`)
      if (found !== undefined) return found[format]
      const isNamed = knownCharts.some(chart => chart.name === name)
      throw new ApiError('not_found', `${isNamed ? 'version' : 'name'}: not found`)
    },
  }
}

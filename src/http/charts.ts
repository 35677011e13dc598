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

/** A drawing depends on nothing but the build: it is published once, when it is first asked for. */
const published = new Map<string, Publication>()

function publishDrawing(file: string, type: string): Publication {
  const known = published.get(file) ?? publish(type, readFileSync(join(drawings, file), 'utf8'))
  published.set(file, known)
  return known
}

function publishFormat(baseUrl: string, chart: KnownChart, format: ChartFormat): Publication {
  if (format === 'svg') return publishDrawing(`${chart.file}.svg`, 'image/svg+xml')
  if (format === 'mmd') return publishDrawing(`${chart.file}.mmd`, 'text/vnd.mermaid')
  return publish('application/json', JSON.stringify({ ...toListed(baseUrl, chart), definition: chart.definition }))
}

export function publishCharts(baseUrl: string): PublishedCharts {
  const data = knownCharts.map(chart => toListed(baseUrl, chart))
  const ofCharts = new Map<string, Publication>()
  return {
    list: publish('application/json', JSON.stringify({ data })),
    find(format, name, version) {
      const named = knownCharts.filter(chart => chart.name === name)
      const chart = named.find(one => String(one.version) === version)
      if (chart === undefined) throw new ApiError('not_found', `${named.length > 0 ? 'version' : 'name'}: not found`)
      const path = `${name}/${version}.${format}`
      const found = ofCharts.get(path) ?? publishFormat(baseUrl, chart, format)
      ofCharts.set(path, found)
      return found
    },
  }
}

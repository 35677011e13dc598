import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { knownCharts } from '../../pages/chart/known_charts.ts'
import { toBrowserModule } from '../../pages/serve/modules.ts'

/** A file of the pages, as it is served. */
export interface PageFile {
  readonly type: string
  readonly content: string
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

const names = [
  'inspector.html',
  'inspector.css',
  'inspector.js',
  'actors.js',
  'list.js',
  'steps.js',
  'stream.js',
  'stately.html',
  'stately.js',
  'icon.svg',
]

function read(name: string): PageFile {
  return {
    type: types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    content: readFileSync(join(import.meta.dirname, 'page', name), 'utf8'),
  }
}

const drawingsFolder = join(import.meta.dirname, '../../../machines/drawings')

/** The modules that draw a chart, which other pages use too; the page's first module imports them. */
const drawers = ['chart.ts', 'drawing.ts'].map((name): readonly [string, PageFile] => {
  const file = `pages/chart/page/${name}`
  const source = readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
  return [`/${file}`, { type: types.js ?? '', content: toBrowserModule(`src/${file}`, source).code }]
})

/** `/charts/transaction/1`. */
function drawing({ name, version, file }: (typeof knownCharts)[number]): readonly [string, PageFile] {
  return [
    `/charts/${name}/${version}`,
    {
      type: 'image/svg+xml',
      content: readFileSync(join(drawingsFolder, `${file}.svg`), 'utf8'),
    },
  ]
}

/** The files of the pages by the path that each is served at; served as they are. */
export function pageFiles(): ReadonlyMap<string, PageFile> {
  return new Map([
    ...names.map(name => [`/${name}`, read(name)] as const),
    ['/', read('inspector.html')],
    ['/stately', read('stately.html')],
    ...drawers,
    ...knownCharts.map(drawing),
  ])
}

import { globSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import Elk, { type ElkNode } from 'elkjs/lib/elk.bundled.js'

const root = join(import.meta.dirname, '..')
export const foldersPicture = join(root, 'docs/develop/folders.svg')

/** The purpose of each folder, in a few words. */
const purposes: Readonly<Record<string, string>> = {
  'packages/durable': 'durable XState on SQL',
  'packages/rules': 'findings to a decision',
  'packages/vision': 'reads documents and faces',
  'packages/credentials': 'chips, wallets, devices',
  'packages/outbound': 'guarded calls to others',
  'packages/page-files': 'serves pages, draws charts',
  'packages/capture-page': 'the person’s page',
  'packages/console-page': 'the operators’ page',
  'packages/guides': 'the guides as pages',
  'packages/api-reference': 'the pages of the API',
  machines: 'the charts',
  'src/base': 'clock, ids, log, encryption',
  'src/schemas': 'the fields of the API',
  'src/database': 'tables and migrations',
  'src/engines': 'scripted, HTTP, addresses',
  'src/features': 'what each feature adds',
  'src/config': 'every setting',
  'src/identity': 'accounts, customers, keys',
  'src/verification': 'transactions, analysis',
  'src/webhooks': 'signed deliveries',
  'src/http': 'Koa: endpoints, limits',
  'src/chip': 'chips as evidence',
  'src/wallet': 'wallets as evidence',
  'src/attestation': 'proven devices',
  'src/console': 'the operators’ API',
  'src/node': 'starts and stops a node',
  'src/cli': 'the commands',
}

const folders = Object.keys(purposes)

function folderOf(file: string): string | undefined {
  // A feature has a part below the service, which the service knows, and its commands above it: test/architecture/layers.ts.
  if (/^src\/(features?|\w+\/(feature|scenes))\.ts$/.test(file)) return 'src/features'
  if (file === 'src/feature_parts.ts') return 'src/node'
  if (/^src\/(feature_commands|\w+\/commands)\.ts$/.test(file)) return 'src/cli'
  return folders.find(folder => file.startsWith(`${folder}/`))
}

function readPackageNames(): Readonly<Record<string, string>> {
  const manifests = globSync('packages/*/package.json', { cwd: root })
  return Object.fromEntries(
    manifests.map(file => [JSON.parse(readFileSync(join(root, file), 'utf8')).name, file.replace('/package.json', '')]),
  )
}

/** Returns the file or package that a specifier leads to, from the project's root. */
function resolveImport(file: string, specifier: string, names: Readonly<Record<string, string>>): string {
  if (specifier.startsWith('.')) return normalize(join(file, '..', specifier))
  const name = Object.keys(names).find(name => specifier === name || specifier.startsWith(`${name}/`))
  return name === undefined ? specifier : `${names[name]}/`
}

/** Returns the imports of each folder, types left out: a type may point up. */
function readImports(): ReadonlyMap<string, ReadonlySet<string>> {
  const names = readPackageNames()
  const imports = new Map(folders.map(folder => [folder, new Set<string>()]))
  const files = globSync(['src/**/*.ts', 'machines/*.ts', 'packages/**/*.ts'], { cwd: root })
  for (const file of files.filter(file => !/\/(node_modules|test|bench|training|synthetic|example)\//.test(file))) {
    const from = folderOf(file)
    if (from === undefined || /\/(testing|synthetic)\.ts$/.test(file)) continue
    for (const [, specifier = ''] of readFileSync(join(root, file), 'utf8').matchAll(
      /^(?:import|export) (?!type )[^'"]*?from '([^']+)'/gm,
    )) {
      const to = folderOf(resolveImport(file, specifier, names))
      if (to !== undefined && to !== from) imports.get(from)?.add(to)
    }
  }
  return imports
}

/** Whether a way of at least one arrow leads from one folder to the other. */
function leadsTo(imports: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  return [...(imports.get(from) ?? [])].some(next => next === to || leadsTo(imports, next, to))
}

/** Returns the imports that no longer way implies, as pairs. */
function listArrows(imports: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly [string, string])[] {
  return [...imports].flatMap(([from, targets]) =>
    [...targets]
      .filter(to => ![...targets].some(other => other !== to && leadsTo(imports, other, to)))
      .map(to => [from, to] as const),
  )
}

const width = 176
const height = 46

async function layOut(arrows: readonly (readonly [string, string])[]): Promise<ElkNode> {
  return new Elk.default().layout({
    id: 'folders',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'DOWN',
      'elk.edgeRouting': 'ORTHOGONAL',
      'elk.layered.spacing.nodeNodeBetweenLayers': '34',
      'elk.spacing.nodeNode': '18',
    },
    children: folders.map(id => ({ id, width, height })),
    edges: arrows.map(([from, to]) => ({ id: `${from}>${to}`, sources: [from], targets: [to] })),
  })
}

const style = [
  'text{font-family:system-ui,"Segoe UI",Helvetica,Arial,sans-serif;font-size:12px;fill:#59636e}',
  '.name{font-weight:600;font-size:13px;fill:#1f2328}.paper{fill:#fff}',
  '.box{fill:#f6f8fa;stroke:#818b98}.package{fill:#ddf4ff;stroke:#0969da}.arrow{fill:none;stroke:#818b98}.head{fill:#818b98}',
  '@media(prefers-color-scheme:dark){text{fill:#9198a1}.name{fill:#e6edf3}.paper{fill:#0d1117}',
  '.box{fill:#161b22;stroke:#6e7681}.package{fill:#0f2a45;stroke:#4493f8}.arrow{stroke:#6e7681}.head{fill:#6e7681}}',
].join('')

function drawBox({ id, x = 0, y = 0 }: ElkNode): string {
  const kind = id.startsWith('packages/') ? 'package' : 'box'
  const words = [
    `<text class="name" x="${x + 10}" y="${y + 19}">${id.replace('packages/', '')}</text>`,
    `<text x="${x + 10}" y="${y + 36}">${purposes[id]}</text>`,
  ]
  return `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>${words.join('')}`
}

/**
 * Draws the packages, the charts and the folders of the service as SVG, with an arrow from each to its imports. An
 * arrow that a longer way of arrows implies is left out. The same imports give the same picture everywhere.
 */
export async function drawFolders(): Promise<string> {
  const layout = await layOut(listArrows(readImports()))
  const lines = (layout.edges ?? []).flatMap(({ sections = [] }) =>
    sections.map(({ startPoint, bendPoints = [], endPoint }) => {
      const points = [startPoint, ...bendPoints, endPoint].map(({ x, y }) => `${x} ${y}`)
      return `<path class="arrow" d="M${points.join('L')}" marker-end="url(#head)"/>`
    }),
  )
  const size = `${Math.ceil(layout.width ?? 0)} ${Math.ceil(layout.height ?? 0)}`
  const [wide, high] = size.split(' ')
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" width="${wide}" height="${high}" role="img" aria-labelledby="folders-title">`,
    '<title id="folders-title">The packages and the folders of the service, and what each imports</title>',
    `<style>${style}</style>`,
    '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto" markerUnits="userSpaceOnUse"><path class="head" d="M0 0L8 4L0 8Z"/></marker></defs>',
    `<rect class="paper" width="${wide}" height="${high}"/>`,
    ...lines,
    ...(layout.children ?? []).map(drawBox),
    '</svg>',
  ].join('\n')}\n`
}

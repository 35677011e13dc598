import { listSiteFiles, moveDeeper, readSiteFile, type SiteFile } from '../pages/reference/site.ts'
import type { Assets } from '../pages/serve/assets.ts'
import { getAssetPath } from './assets.ts'
import type { DocumentDeps } from './deps.ts'
import type { ApiDocuments } from './endpoint.ts'
import { type Publication, publish } from './publication.ts'

/** The document and its pages as they are sent, each read when it is first asked for: few nodes are ever asked. */
export function openDocuments(
  { baseUrl, defaultTtlMinutes }: Pick<DocumentDeps, 'baseUrl' | 'defaultTtlMinutes'>,
  assets: Assets,
): ApiDocuments {
  const files = listSiteFiles()
  const published = new Map<string, Publication>()
  const read = (name: string): SiteFile =>
    readSiteFile(name, {
      base_url: baseUrl,
      ttl_minutes: defaultTtlMinutes,
      assets: getAssetPath(assets, '').slice(0, -1),
    })
  const publishOnce = (key: string, make: () => SiteFile): Publication => {
    const known = published.get(key)
    if (known !== undefined) return known
    const { type, text } = make()
    const publication = publish(type, text)
    published.set(key, publication)
    return publication
  }
  return {
    get json() {
      return publishOnce('openapi.json', () => read('openapi.json'))
    },
    find(path) {
      const name = files.get(path)
      return name === undefined ? null : publishOnce(path, () => read(name))
    },
    findNothing: folders => publishOnce(`nothing ${folders}`, () => moveDeeper(read('nothing.html'), folders)),
  }
}

import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

/** A file that a page may ask for, and that is read when it does. */
export interface Source {
  /** Another text wherever the content is another. */
  readonly identity: string
  read(): Buffer
}

/** A file of an installed package, whose version identifies its content. */
export function packageFile(name: string, file: string): Source {
  const manifest = findPackageJSON(name, import.meta.url) ?? ''
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  return { identity: `${name}@${version}/${file}`, read: () => readFileSync(join(dirname(manifest), file)) }
}

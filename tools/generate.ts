import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { captureScriptIntegrity } from '@attestor/capture-page/testing'
import { generateTypes } from '../clients/typescript/generate.ts'
import { apiDocument } from './api_document.ts'
import { commandsTable } from './commands_table.ts'
import { completeBodies } from './contract.ts'
import { drawFolders, foldersPicture } from './draw_folders.ts'
import { errorsTable } from './errors_guide.ts'
import { type LockedPackage, type ShippedPackage, shippedPackages, writeNotice } from './licences.ts'
import { metricsTable } from './metrics_table.ts'
import { devicePolicyTable, fraudPolicyTable, issueGuide, issuesTable, settingsTable, warningsTable } from './tables.ts'

/**
 * `npm run generate`: writes the parts of README.md and of the pages in docs/ that are made from the program, between their
 * markers, whole files of the API's document, the picture of the folders, and NOTICE from the lock file, so that they can't drift apart. A test
 * compares them.
 */

const root = join(import.meta.dirname, '..')

const parts: Readonly<Record<string, () => string>> = {
  settings: settingsTable,
  metrics: metricsTable,
  commands: commandsTable,
  errors: errorsTable,
  issues: issuesTable,
  'issue guide': issueGuide,
  'device policy': devicePolicyTable,
  'fraud policy': fraudPolicyTable,
  warnings: warningsTable,
  'capture script': () =>
    `\`\`\`html\n<script src="https://id.example/capture.js" integrity="${captureScriptIntegrity()}" crossorigin></script>\n\`\`\``,
}

/** A page takes a part by `<!-- generated: NAME -->`, and any number of pages may take the same. */
const block = /<!-- generated: ([a-z ]+) -->\n(?:(?!<!-- generated: ).)*?<!-- \/generated -->/gs

/** The text of a page with its generated parts replaced. @throws {Error} for an unknown part, or one without an end. */
export function regenerate(text: string): string {
  const written = text.replace(block, (_, name: string) => {
    const make = parts[name]
    if (make === undefined) throw new Error(`there is no part "${name}" to generate`)
    return `<!-- generated: ${name} -->\n${make()}\n<!-- /generated -->`
  })
  const count = (text: string): number => written.split(text).length - 1
  if (count('<!-- generated: ') !== count('<!-- /generated -->'))
    throw new Error('a generated part has no end, or no beginning')
  return written
}

/** Every Markdown page that may have generated parts: README.md and those in docs/. */
export function pages(): string[] {
  return ['README.md', ...globSync('docs/**/*.md', { cwd: root }).sort()].map(file => join(root, file))
}

/** Returns the texts of whole files that are made from the API's document and from the imports. */
export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  const document = apiDocument()
  return {
    [join(root, 'clients/contract.generated.json')]: `${JSON.stringify(completeBodies(document), null, 2)}\n`,
    [join(root, 'clients/typescript/src/api.ts')]: await generateTypes(document),
    [foldersPicture]: await drawFolders(),
  }
}

/** Names every package that the service ships, with its licence. */
export const noticeFile = join(root, 'NOTICE')

/** The packages of a production install, by the lock file. */
export function shipped(): readonly ShippedPackage[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return shippedPackages(lock.packages as Readonly<Record<string, LockedPackage>>)
}

if (import.meta.main) {
  for (const page of pages()) writeFileSync(page, regenerate(readFileSync(page, 'utf8')))
  for (const [file, text] of Object.entries(await generatedFiles())) writeFileSync(file, text)
  writeFileSync(noticeFile, writeNotice(shipped()))
}

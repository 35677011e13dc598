import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/** The contents: the pages for each reader, the index first. */
const groups = [
  { title: 'Attestor', index: 'README.md', files: '{CHANGELOG,SECURITY}.md' },
  { title: 'Integrate', index: 'docs/integrate/index.md', files: '{docs/integrate/*,clients/*/README}.md' },
  { title: 'Operate', index: 'docs/operate/index.md', files: 'docs/operate/*.md' },
  { title: 'Understand', index: 'docs/understand/index.md', files: 'docs/{understand/*,figures}.md' },
  { title: 'Develop', index: 'docs/develop/index.md', files: '{docs/develop/*,docs/glossary,CONTRIBUTING}.md' },
] as const

/** Files of Markdown for one kind of reader. */
export interface GuideGroup {
  readonly title: string
  readonly files: readonly string[]
}

/** Pages in the order in which the index names them. */
function listFiles(root: string, { index, files }: (typeof groups)[number]): readonly string[] {
  const found = globSync(files, { cwd: root }).filter(file => file !== index)
  const [text] = globSync(index, { cwd: root }).map(file => readFileSync(join(root, file), 'utf8'))
  if (text === undefined) return found.sort()
  const findPosition = (file: string): number => {
    const position = text.indexOf(`](${posix.relative(dirname(index), file)}`)
    return position < 0 ? text.length : position
  }
  return [index, ...found.sort((a, b) => findPosition(a) - findPosition(b) || (a < b ? -1 : 1))]
}

/** The guides in a folder, by their readers; those that an installation was made without are left out. */
export function listGuides(root: string): readonly GuideGroup[] {
  return groups
    .map(group => ({ title: group.title, files: listFiles(root, group) }))
    .filter(({ files }) => files.length > 0)
}

import type { Node, SourceFile } from 'typescript/unstable/ast'
import { isNoSubstitutionTemplateLiteral, isStringLiteral, isTemplateExpression } from 'typescript/unstable/ast/is'
import { createVirtualFileSystem } from 'typescript/unstable/fs'
import { API } from 'typescript/unstable/sync'

/** A text with SQL in it, and where it stands. What the program puts into it is a `gap`. */
export interface SqlText {
  readonly place: string
  readonly text: string
}

const gap = '…'

const root = '/project/'

function isSql(text: string): boolean {
  return /\b(SELECT|INSERT INTO|UPDATE \S+\s+SET|DELETE FROM|WHERE|JOIN|ORDER BY|GROUP BY|VALUES)\s|\s(AND|OR|IS NULL|= \?)/.test(
    text,
  )
}

function textOf(node: Node): string | null {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text
  if (!isTemplateExpression(node)) return null
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(gap)
}

function readSource(source: SourceFile): readonly SqlText[] {
  const found: SqlText[] = []
  const visit = (node: Node): void => {
    const text = textOf(node)
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
    if (text !== null && isSql(text)) found.push({ place: `${source.fileName.slice(root.length)}:${line + 1}`, text })
    node.forEachChild(visit)
  }
  source.forEachChild(visit)
  return found
}

/** Returns the texts with SQL of TypeScript files, given as paths from the project's root and contents. */
export function readSqlTexts(files: Readonly<Record<string, string>>): readonly SqlText[] {
  const virtual = Object.fromEntries(Object.entries(files).map(([file, text]) => [root + file, text]))
  const config = { compilerOptions: { noLib: true, noResolve: true, noEmit: true, types: [] }, include: ['**/*'] }
  const fs = createVirtualFileSystem({ ...virtual, [`${root}tsconfig.json`]: JSON.stringify(config) })
  const api = new API({ cwd: root, fs })
  try {
    using snapshot = api.updateSnapshot({ openProjects: [`${root}tsconfig.json`] })
    const program = snapshot.getProject(`${root}tsconfig.json`)?.program
    return Object.keys(virtual).flatMap(file => {
      const source = program?.getSourceFile(file)
      if (source === undefined) throw new Error(`the parser did not read ${file}`)
      return readSource(source)
    })
  } finally {
    api.close()
  }
}

/** Returns the names that a text defines: aliases of tables and of columns, and the names of `WITH`. */
function ownNames(sql: string): readonly string[] {
  return [
    /\bAS\s+(\w+)/g,
    /(?:\b(?:FROM|JOIN|UPDATE)\s+|,\s*)[\w…]+\s+([a-z]\w*)/g,
    /\b(\w+)(?:\s*\([^()]*\))?\s+AS\b/g,
  ]
    .flatMap(shape => [...sql.matchAll(shape)])
    .map(([, name = '']) => name)
}

/**
 * The words of the texts of one file that can only be tables and columns: no keyword, function, alias (or one letter), or
 * part of a name. A text may stand within another, and use its aliases.
 */
export function readNames(texts: readonly SqlText[]): readonly { readonly place: string; readonly name: string }[] {
  const plain = texts.map(({ place, text }) => ({ place, sql: text.replaceAll(/'[^']*'/g, "''") }))
  const own = new Set(plain.flatMap(({ sql }) => ownNames(sql)))
  return plain.flatMap(({ place, sql }) =>
    [...sql.matchAll(/(?<![\w…:@$])[a-z]\w+(?![\w….(])/g)]
      .map(([name]) => ({ place, name }))
      .filter(({ name }) => !own.has(name)),
  )
}

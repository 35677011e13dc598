import { readdirSync, rmdirSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { ApiError } from '../base/api_error.ts'
import type { Shell } from './command.ts'

const { platform, arch } = process

/** Files that no program loads on this machine, by their paths below `node_modules`. */
const unused: readonly RegExp[] = [
  // The runtime of the networks and SQLite come with binaries for every kind of machine.
  new RegExp(`(^|/)onnxruntime-node/bin/[^/]+/(?!${platform}/${arch}/)`),
  new RegExp(`(^|/)better-sqlite3/(deps/|src/|prebuilds/(?!${platform}(musl)?-${arch}\\.node$))`),
  /(^|\/)node-[^/]+\/(include|share)\//,
  /(^|\/)typeorm\/browser\//,
  // Only debuggers and compilers read source maps and declarations.
  /\.(c|m)?js\.map$/,
  /\.d\.(c|m)?ts(\.map)?$/,
]

/** Removes the unused files below `folder`, and folders that are empty then. Returns the number of bytes freed. */
export function trimPackages(folder: string, below = ''): number {
  let freed = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = join(folder, entry.name)
    const path = `${below}${entry.name}`
    if (entry.isDirectory()) {
      freed += trimPackages(file, `${path}/`)
      if (readdirSync(file).length === 0) rmdirSync(file)
    } else if (entry.isFile() && unused.some(one => one.test(path))) {
      freed += statSync(file).size
      unlinkSync(file)
    }
  }
  return freed
}

/** The folder that npm installed this program's packages into. */
function findPackages(): string {
  const installed = import.meta.resolve('koa')
  const mark = '/node_modules/'
  return fileURLToPath(installed.slice(0, installed.lastIndexOf(mark) + mark.length))
}

export function addTrimCommand(program: Command, { printDone }: Shell): void {
  program
    .command('trim')
    .description(
      'remove what this machine never loads from the installed packages: other machines’ binaries, types, maps',
    )
    .option('--json', 'print JSON')
    .action((options: { json?: true }) => {
      const folder = findPackages()
      // The compiler needs the types.
      if (readdirSync(folder).includes('typescript'))
        throw new ApiError('not_allowed_in_state', 'these packages are for development: npm ci --omit=dev')
      const freed = trimPackages(folder)
      printDone(options, `${Math.round(freed / 1e6)} MB removed from ${folder}`, { freed_bytes: freed, folder })
    })
}

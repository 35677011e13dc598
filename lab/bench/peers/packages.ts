import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The peers, only ever in a temporary folder: Restate's server may not be offered as a service (BSL 1.1). */
const packages = [
  '@restatedev/restate-server@1.7.12',
  '@restatedev/restate-sdk@1.17.2',
  '@restatedev/xstate@0.5.2',
  '@dbos-inc/dbos-sdk@5.3.0',
  'xstate@5.33.3',
]

/** Installs the peers with npm. @throws {Error} with npm's words */
export async function installPackages(folder: string): Promise<void> {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefix', folder]
  await promisify(execFile)('npm', ['install', ...options, ...packages], { cwd: folder })
}

/** A package of the temporary folder. */
export function requirePackage<T>(folder: string, name: string): T {
  return createRequire(join(folder, 'package.json'))(name) as T
}

/** The path of a file of such a package. */
export function resolvePackage(folder: string, name: string): string {
  return createRequire(join(folder, 'package.json')).resolve(name)
}

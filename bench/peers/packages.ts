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
export const installPackages = async (folder: string): Promise<void> => {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefix', folder]
  await promisify(execFile)('npm', ['install', ...options, ...packages], { cwd: folder })
}

/** A package of the temporary folder. */
export const requirePackage = <T>(folder: string, name: string): T =>
  createRequire(join(folder, 'package.json'))(name) as T

/** The path of a file of such a package. */
export const resolvePackage = (folder: string, name: string): string =>
  createRequire(join(folder, 'package.json')).resolve(name)

import { execSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'ava'
import { type LockedPackage, shippedPackages } from '../tools/licences.ts'

const root = join(import.meta.dirname, '..')

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

const image = read('docker/Dockerfile')

function findCommand(pattern: RegExp): string {
  return pattern.exec(image)?.[1] ?? ''
}

test('The image lists exactly the packages that it contains', t => {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-image-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const run = (command: string): string =>
    execSync(command, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  for (const name of findCommand(/^COPY (.*package-lock\.json.*) \.\/$/m).split(' '))
    copyFileSync(join(root, name), join(folder, name))
  const manifests = globSync('packages/*/package.json', { cwd: root })
  for (const name of manifests) {
    mkdirSync(join(folder, dirname(name)), { recursive: true })
    copyFileSync(join(root, name), join(folder, name))
  }
  // These packages are those of an install without development tools on this platform, copied from the present install.
  const locked = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> }
  const shipped = shippedPackages(locked.packages).map(({ name: place, version }) => {
    return { place: join('node_modules', place), name: place.split('node_modules/').at(-1) ?? '', version }
  })
  const installed = shipped.filter(({ place }) => existsSync(join(root, place)))
  for (const { place } of installed) {
    mkdirSync(join(folder, place), { recursive: true })
    copyFileSync(join(root, place, 'package.json'), join(folder, place, 'package.json'))
  }
  for (const name of manifests) {
    const link = join(folder, 'node_modules', JSON.parse(read(name)).name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(folder, dirname(name)), link)
  }
  run(findCommand(/^RUN npm ci .* && (rm .*)$/m))
  const kept = installed.filter(({ place }) => existsSync(join(folder, place)))
  t.true(kept.length > 150 && kept.length < installed.length)
  const { packages } = JSON.parse(run(findCommand(/^RUN (npm pkg .* && npm sbom .*) > sbom\.spdx\.json$/m))) as {
    packages: { name: string; versionInfo: string }[]
  }
  const own = ['package.json', ...manifests].map(name => JSON.parse(read(name)) as { name: string; version: string })
  t.deepEqual(
    [...new Set(packages.map(({ name, versionInfo }) => `${name} ${versionInfo}`))].sort(),
    [...new Set([...kept, ...own].map(({ name, version }) => `${name} ${version}`))].sort(),
  )
})

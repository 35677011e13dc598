/** A package as package-lock.json tells of it. */
export interface LockedPackage {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
}

/** A package that is installed where the service runs. `name` is its folder's below `node_modules`. */
export interface ShippedPackage {
  readonly name: string
  readonly version: string
  /** An SPDX expression, as the package states it. */
  readonly licence: string
}

/** Licences (SPDX) that ask for no more than to be named, or for nothing. */
const allowed: readonly string[] = [
  ...['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'BlueOak-1.0.0', 'Unlicense', 'CC0-1.0'],
  ...['Zlib', 'Python-2.0'],
]

/** libvips is a shared library that `sharp` loads, prebuilt and unchanged: whoever wishes may replace it, as the LGPL asks. */
const libvips = /^@img\/sharp-(libvips-[a-z0-9-]+|wasm32|win32-[a-z0-9]+)$/

const isAllowed = (name: string, licence: string): boolean =>
  allowed.includes(licence) || (licence === 'LGPL-3.0-or-later' && libvips.test(name))

/** The packages of production, by name; every platform's, as the lock file has them. */
export const shippedPackages = (packages: Readonly<Record<string, LockedPackage>>): readonly ShippedPackage[] =>
  Object.entries(packages)
    .filter(([folder, { dev = false }]) => folder !== '' && !dev)
    .map(([folder, { version = '', license: licence = '' }]) => {
      return { name: folder.replace(/^node_modules\//, ''), version, licence }
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1))

/** The packages that may not be shipped: of their licence's alternatives none is allowed in all its parts. */
export const refusedLicences = (packages: readonly ShippedPackage[]): readonly ShippedPackage[] =>
  packages.filter(({ name, licence }) => {
    const own = name.split('node_modules/').at(-1) ?? name
    const alternatives = licence.replaceAll(/[()]/g, '').split(' OR ')
    return !alternatives.some(parts => parts.split(' AND ').every(part => isAllowed(own, part)))
  })

const head = `Attestor
Licensed under the Apache License, Version 2.0 (see LICENSE).

The packages that are installed where it runs, each with its licence (SPDX) as its author states it. Their texts lie in
node_modules beside them. The LGPL is libvips' alone: sharp loads it as a shared library, prebuilt and unchanged, and
whoever wishes may put another in its place.
Made by \`npm run generate\`.
`

/** The text of NOTICE. */
export const noticeOf = (packages: readonly ShippedPackage[]): string =>
  `${head}\n${packages.map(({ name, version, licence }) => `${name} ${version}: ${licence}`).join('\n')}\n`

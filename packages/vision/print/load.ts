import { ownLayouts, readLayouts } from './layouts.ts'
import type { PrintReader } from './printed_side.ts'
import { loadTextNetworks } from './text_networks.ts'
import { createTextReader } from './text_reader.ts'

/**
 * Loads the networks, and the layouts that come with the service with those of another folder. @throws {Error} for a
 * wrong layout
 */
export async function loadPrintReader(folder?: string): Promise<PrintReader> {
  const layouts = readLayouts(folder === undefined ? [ownLayouts] : [ownLayouts, folder])
  return { read: createTextReader(await loadTextNetworks()), layouts }
}

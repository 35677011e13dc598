import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { ApiError, asError } from '../base/api_error.ts'
import type { Shell } from './command.ts'

/** Rejects with a refused call that names the fault. */
async function tryIt<T>(what: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw new ApiError('malformed_request', `${what}: ${asError(error).message}`)
  }
}

export function addLayoutCommands(program: Command, { print, readConfig }: Shell): void {
  program
    .command('layouts')
    .description('try the layouts of documents without zone and barcode')
    .command('check')
    .description('read the print of a picture: its lines, the layout, the fields, and what is in doubt')
    .argument('<picture>', 'a JPEG, PNG or WebP of the document, upright')
    .option('--layouts <folder>', 'layouts beside those of the service; by default those of DOCUMENT_LAYOUTS')
    .option('--back <picture>', 'its back, where fields are on it')
    .option('--layout <name>', 'read by this layout, whatever the titles say')
    .action(
      async (picture: string, { layouts, layout, back }: { layouts?: string; layout?: string; back?: string }) => {
        // The decoders and the runtime are loaded by this command alone.
        const { restrictImageLoaders, decodeDocument, loadPrintReader, describePrint } = await import(
          '@attestor/vision/readers'
        )
        restrictImageLoaders()
        const folder = layouts ?? readConfig().DOCUMENT_LAYOUTS ?? undefined
        const reader = await tryIt('--layouts', () => loadPrintReader(folder))
        const { pixels: front } = await tryIt('<picture>', () => decodeDocument(readFileSync(picture)))
        const behind = back === undefined ? null : await tryIt('--back', () => decodeDocument(readFileSync(back)))
        const pictures = { front, back: behind?.pixels ?? null }
        print(await tryIt('--layout', () => describePrint(reader, pictures, layout)))
      },
    )
}

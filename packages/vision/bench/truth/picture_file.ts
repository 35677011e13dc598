import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'

const taken = ['jpeg', 'png', 'webp']

/** Reads a labelled picture, as a client would send it: a format that the service does not take becomes a PNG. */
export async function readPicture(folder: string, file: string): Promise<Buffer> {
  const bytes = await readFile(join(folder, file))
  const { format } = await sharp(bytes, { failOn: 'none' }).metadata()
  return taken.includes(format) ? bytes : sharp(bytes).png().toBuffer()
}

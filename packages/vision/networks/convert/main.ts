/**
 * `npm run networks [FOLDER]`: converts the networks and keeps them in `packages/vision/ready`, or in a folder that you
 * name. After a change of their makers' files, or of the conversion, it prints the digests that `ready_files.ts` lacks.
 */
import { createHash } from 'node:crypto'
import { writeNetworks } from '../ready.ts'
import { networkNames, readyFiles } from '../ready_files.ts'
import { convertNetwork } from './convert.ts'

async function findChanged(): Promise<readonly string[]> {
  const changed: string[] = []
  for (const name of networkNames) {
    const digest = createHash('sha256')
      .update(await convertNetwork(name))
      .digest('hex')
    if (digest !== readyFiles[name]) changed.push(`${name}: the conversion gives ${digest}, not ${readyFiles[name]}`)
  }
  return changed
}

const [, , folder] = process.argv
try {
  const converted = await writeNetworks(folder === undefined ? {} : { folder })
  console.log(converted.length === 0 ? 'all networks are ready' : `converted: ${converted.join(', ')}`)
} catch (error) {
  const changed = await findChanged()
  if (changed.length === 0) throw error
  console.error(changed.join('\n'))
  process.exitCode = 1
}

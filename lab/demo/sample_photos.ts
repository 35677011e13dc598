/**
 * `npm run sample-photos`: the photos of one verification, of a person and of documents that belong to nobody, for trying
 * the API by hand. Each run takes new photos of the same person: no photo is accepted twice.
 */
import { randomInt } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { inventCard, inventPhotographs } from './people.ts'

const usage = `npm run sample-photos -- [--impostor] [--folder FOLDER] [--seed NUMBER]

Writes passport.jpg, id-card-front.jpg, id-card-back.jpg, selfie.jpg and a photo of each action of a liveness challenge
(TURN_LEFT.jpg, TURN_RIGHT.jpg, BLINK.jpg, OPEN_MOUTH.jpg, LOOK_UP.jpg) into ./sample-photos, over those that are there.
--impostor: selfie and actions are of another person than the documents. --seed: the same number takes the same photos.`

const options = {
  impostor: { type: 'boolean', default: false },
  folder: { type: 'string', default: 'sample-photos' },
  seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  help: { type: 'boolean', default: false },
} as const

const { values } = parseArgs({ options })
const seed = Number(values.seed)
if (values.help) console.log(usage)
else if (!Number.isInteger(seed)) {
  console.error(`--seed: must be a whole number\n\n${usage}`)
  process.exitCode = 2
} else {
  const photographs = await inventPhotographs(values.impostor, seed)
  const card = await inventCard(seed)
  const photos = {
    passport: photographs.document_front,
    'id-card-front': card.front,
    'id-card-back': card.back,
    selfie: photographs.selfie,
    ...photographs.frames,
  }
  await mkdir(values.folder, { recursive: true })
  for (const [name, photo] of Object.entries(photos)) {
    const file = join(values.folder, `${name}.jpg`)
    await writeFile(file, photo)
    console.log(file)
  }
}

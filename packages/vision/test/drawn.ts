/**
 * The drawings of `../synthetic`, for tests that look at pictures and not at how they are drawn. Drawing a face takes
 * three times as long as analysing it, and the same order gives the same bytes: each drawing is kept in the folder that
 * `TEST_DRAWINGS` names, which `npm test` gives a name by the code that draws.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { renderEuropeanLicence as drawEuropeanLicence } from '../synthetic/european_licence.ts'
import { photographPrint as photographAPrint } from '../synthetic/flat_photo.ts'
import * as synthetic from '../synthetic.ts'

const folder = process.env.TEST_DRAWINGS

function kept<Of extends unknown[], Drawing>(
  name: string,
  draw: (...of: Of) => Promise<Drawing>,
): (...of: Of) => Promise<Drawing> {
  if (folder === undefined) return draw
  return async (...of) => {
    const order = createHash('sha256').update(serialize(of)).digest('hex').slice(0, 32)
    const file = join(folder, `${name}-${order}`)
    if (existsSync(file)) return deserialize(readFileSync(file)) as Drawing
    const drawing = await draw(...of)
    const own = `${file}.${process.pid}.${performance.now()}`
    writeFileSync(own, serialize(drawing))
    renameSync(own, file)
    return drawing
  }
}

export const renderPortrait = kept('portrait', synthetic.renderPortrait)
export const renderDocument = kept('document', synthetic.renderDocument)
export const renderLicence = kept('licence', synthetic.renderLicence)
export const renderEuropeanLicence = kept('european_licence', drawEuropeanLicence)
export const photograph = kept('photo', synthetic.photograph)
export const photographFace = kept('face', synthetic.photographFace)
export const photographPrint = kept('print', photographAPrint)

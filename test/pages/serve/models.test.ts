import test from 'ava'
import { decodeImage } from '../../../src/engines/images/decode_image.ts'
import { openGraphModel } from '../../../src/engines/local/face/face_models.ts'
import { findFaces } from '../../../src/engines/local/face/faces.ts'
import { measureEyeOpenings } from '../../../src/engines/local/face/iris.ts'
import { loadModels } from '../../../src/engines/local/models.ts'
import { openAssets } from '../../../src/pages/serve/assets.ts'
import { findModel } from '../../../src/pages/serve/models.ts'
import { person, renderPortrait } from '../../../synthetic/portrait.ts'

async function openSent(name: string) {
  const [json, weights] = ['json', 'bin'].map(part => findModel(`lib/models/${name}.${part}`)?.read())
  if (json === undefined || weights === undefined) throw new Error(`no ${name}`)
  return openGraphModel(JSON.parse(json.toString('utf8')), Uint8Array.from(weights).buffer)
}

test('the models that browsers are sent find the same face, and see its lids as the engine does', async t => {
  const own = await loadModels()
  const [detector, mesh, iris] = await Promise.all(['blazeface', 'facemesh', 'iris'].map(openSent))
  if (!detector || !mesh || !iris) return t.fail()
  const sent = { detector, mesh, iris }
  for (const blink of [0, 0.5, 1]) {
    const picture = await decodeImage(await renderPortrait(person(15), { blink }, { width: 360, height: 480 }), 480)
    const [face] = findFaces(own, picture)
    const [sentFace] = findFaces(sent, picture)
    t.truthy(face)
    t.deepEqual(sentFace, face)
    if (!face) continue
    const [seen, expected] = [sent, own].map(models => measureEyeOpenings(models, picture, face.landmarks))
    for (const side of [0, 1] as const) t.true(Math.abs((seen?.[side] ?? 1) - (expected?.[side] ?? 0)) < 0.02)
  }
})

test('a face guide is sent less than three megabytes, and what it shares with the service is the same file', t => {
  const assets = openAssets(['src/pages/capture/page/guidance/open_guide.ts'])
  const size = (path: string): number => {
    const asset = assets.get(path)
    return asset === null ? Number.NaN : (asset.gzip ?? asset.content).length
  }
  const models = ['blazeface', 'facemesh', 'iris'].flatMap(name => [
    `lib/models/${name}.json`,
    `lib/models/${name}.bin`,
  ])
  const libraries = ['core', 'converter', 'backend-wasm'].map(name => `lib/tensorflow-tfjs-${name}.js`)
  const sizes = [...models, ...libraries, 'lib/tfjs-backend-wasm-simd.wasm'].map(size)
  t.true(sizes.reduce((sum, one) => sum + one, 0) < 2_900_000)
  for (const path of [
    'engines/images/quality.ts',
    'engines/images/warnings.ts',
    'engines/local/face/quality.ts',
    'engines/local/face/liveness.ts',
  ])
    t.truthy(assets.get(`src/${path}`), path)
  for (const path of ['models.ts', 'face/decode_image.ts', 'face/embedding.ts', 'face/templates.ts'])
    t.is(assets.get(`src/engines/local/${path}`), null, path)
  for (const path of ['lib/models/faceres.json', 'lib/models/blazeface.txt', 'lib/models/../models/iris.json'])
    t.is(assets.get(path), null, path)
})

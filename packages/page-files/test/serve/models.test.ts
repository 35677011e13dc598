import { loadModels } from '@attestor/vision/readers'
import { person } from '@attestor/vision/synthetic'
import { decodeImage, findFaces, measureEyeOpenings } from '@attestor/vision/testing'
import test from 'ava'
import { openTfjsNetworks } from '../../../../test/tfjs_networks.ts'
import { inLongTier } from '../../../../test/tier.ts'
import { renderPortrait } from '../../../vision/test/drawn.ts'
import { openAssets } from '../../serve/assets.ts'
import { findModel } from '../../serve/models.ts'

function readSent(name: string, part: string): Buffer {
  const found = findModel(`lib/models/${name}.${part}`)
  if (found === null) throw new Error(`no ${name}`)
  return found.read()
}

/** The most by which two lists of numbers differ. */
function measureDifference(one: readonly number[], other: readonly number[]): number {
  return Math.max(...one.map((value, n) => Math.abs(value - (other[n] ?? Number.NaN))))
}

inLongTier(test)(
  'the models that browsers are sent find the same face, and see its lids as the engine does',
  async t => {
    const own = await loadModels()
    const sent = await openTfjsNetworks(readSent)
    for (const blink of [0, 0.5, 1]) {
      const picture = await decodeImage(await renderPortrait(person(15), { blink }, { width: 360, height: 480 }), 480)
      const [face] = await findFaces(own, picture)
      const [sentFace] = await findFaces(sent, picture)
      if (!face || !sentFace) return t.fail()
      t.true(measureDifference(sentFace.landmarks.points.flat(), face.landmarks.points.flat()) < 0.01)
      const [seen, expected] = [
        await measureEyeOpenings(sent, picture, face.landmarks),
        await measureEyeOpenings(own, picture, face.landmarks),
      ]
      t.true(measureDifference(seen, expected) < 0.02)
    }
  },
)

test('a face guide is sent less than three megabytes, and what it shares with the service is the same file', t => {
  const assets = openAssets(['packages/capture-page/page/guidance/open_guide.ts'])
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
  for (const path of ['images/picture_quality.ts', 'images/warnings.ts', 'face/quality.ts', 'face/liveness.ts'])
    t.truthy(assets.get(`packages/vision/${path}`), path)
  for (const path of ['models.ts', 'face/read_face.ts', 'face/mobile_face_net.ts', 'networks/session.ts'])
    t.is(assets.get(`packages/vision/${path}`), null, path)
  for (const path of ['lib/models/faceres.json', 'lib/models/blazeface.txt', 'lib/models/../models/iris.json'])
    t.is(assets.get(path), null, path)
})

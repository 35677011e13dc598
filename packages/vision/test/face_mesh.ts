import type { FaceModels } from '../face/face_models.ts'
import type { Landmarks } from '../face/landmarks.ts'
import { applySimilarity, cutSquare } from '../geometry/pixels.ts'
import type { RgbImage } from '../images/raster.ts'
import type { FaceMesh } from '../synthetic/rendered_face.ts'

const inputSide = 192

/** Finds the landmarks of an upright face with their depths, which the service does not use. */
export async function findFaceMesh(models: FaceModels, photo: RgbImage, { points }: Landmarks): Promise<FaceMesh> {
  const [xs, ys] = ([0, 1] as const).map(axis => points.map(point => point[axis])) as [number[], number[]]
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const scale = (Math.max(right - left, bottom - top) * 1.5) / inputSide
  const half = (scale * (inputSide - 1)) / 2
  const square = { a: scale, b: 0, tx: (left + right) / 2 - half, ty: (top + bottom) / 2 - half }
  const [mesh = []] = await models.mesh(cutSquare(photo, square, inputSide, [0, 1]))
  return points.map((_, i) => {
    const [x, y] = applySimilarity(square, [mesh[3 * i] ?? 0, mesh[3 * i + 1] ?? 0])
    return [x, y, (mesh[3 * i + 2] ?? 0) * scale]
  })
}

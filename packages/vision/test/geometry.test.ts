import test from 'ava'
import type { Point } from '../geometry/pixels.ts'
import { measureHomographyResidual } from '../geometry/similarity.ts'

test('points of a plane move by a homography and points of a body do not', t => {
  const plane = Array.from({ length: 30 }, (_, i): Point => [(i * 37) % 100, (i * 61) % 90])
  const moved = plane.map(([x, y]): Point => {
    const w = 1 + 0.002 * x - 0.001 * y
    return [(1.1 * x + 0.2 * y + 5) / w, (0.9 * y - 0.1 * x + 3) / w]
  })
  const bodily = moved.map(([x, y], i): Point => [x + (i % 3) * 4, y])
  t.true(measureHomographyResidual(plane, moved) < 0.3)
  t.true(measureHomographyResidual(plane, bodily) > 2)
})

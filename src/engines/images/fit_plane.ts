/** A point of a picture, and the value there. */
export type Sample = readonly [x: number, y: number, value: number]

/** The least-squares plane through samples: its value at the origin, and its slopes; level where they lie on a line. */
export function fitPlane(samples: readonly Sample[]): readonly [middle: number, across: number, down: number] {
  let mx = 0
  let my = 0
  let mv = 0
  let xx = 0
  let yy = 0
  let xy = 0
  let xv = 0
  let yv = 0
  const share = 1 / samples.length
  for (const [x, y, value] of samples) {
    mx += x * share
    my += y * share
    mv += value * share
    xx += x * x * share
    yy += y * y * share
    xy += x * y * share
    xv += x * value * share
    yv += y * value * share
  }
  const vx = xx - mx * mx
  const vy = yy - my * my
  const cxy = xy - mx * my
  const cxv = xv - mx * mv
  const cyv = yv - my * mv
  const determinant = vx * vy - cxy * cxy
  if (!(determinant > 1e-6)) return [mv, 0, 0]
  const across = (cxv * vy - cyv * cxy) / determinant
  const down = (cyv * vx - cxv * cxy) / determinant
  return [mv - across * mx - down * my, across, down]
}

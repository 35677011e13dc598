const latticeSize = 4096
/** Repeatable values of -1 to 1 for the noise's lattice points. */
const lattice = Float32Array.from({ length: latticeSize }, (_, i) => {
  const mixed = Math.imul(Math.imul(i + 1, 374761393) ^ (i << 7), 1274126177)
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 31 - 1
})

/** Returns the noise between two neighbours along x. */
function edge(at: number, fx: number): number {
  const start = lattice[at & (latticeSize - 1)] ?? 0
  return start + ((lattice[(at + 1) & (latticeSize - 1)] ?? 0) - start) * fx
}

/** Returns value noise in three dimensions, -1 to 1. */
export function noise(x: number, y: number, z: number): number {
  const x0 = Math.floor(x)
  const y0 = Math.floor(y)
  const z0 = Math.floor(z)
  const fx = x - x0
  const fy = y - y0
  const fz = z - z0
  const at = x0 + 157 * y0 + 2269 * z0
  const near = edge(at, fx) * (1 - fy) + edge(at + 157, fx) * fy
  const far = edge(at + 2269, fx) * (1 - fy) + edge(at + 2426, fx) * fy
  return near * (1 - fz) + far * fz
}

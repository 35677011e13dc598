/** A chip's 128 numbers. Those of one person lie within about 0.6 of each other. */
export type FaceVector = readonly number[]

/** The mean of some vectors of one face. */
export function averageVectors(vectors: readonly FaceVector[]): FaceVector {
  return (vectors[0] ?? []).map((_, i) => vectors.reduce((sum, vector) => sum + (vector[i] ?? 0), 0) / vectors.length)
}

/** Euclidean distance of two vectors of one space; 0 is the same picture. */
export function measureVectorDistance(one: FaceVector, other: FaceVector): number {
  return Math.sqrt(one.reduce((sum, value, i) => sum + (value - (other[i] ?? 0)) ** 2, 0))
}

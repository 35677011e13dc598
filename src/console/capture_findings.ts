/** What the trace measured, by its path. */
type Measured = Readonly<Record<string, number | boolean>>

interface Point {
  readonly x: number
  readonly y: number
}

interface Box extends Point {
  readonly width: number
  readonly height: number
}

const readNumber = (measured: Measured, path: string): number | null => {
  const value = measured[path]
  return typeof value === 'number' ? value : null
}

const readBox = (measured: Measured, path: string): Box | null => {
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map(name => readNumber(measured, `${path}.${name}`))
  return x == null || y == null || width == null || height == null ? null : { x, y, width, height }
}

const readPoints = (measured: Measured, path: string): readonly Point[] | null => {
  const points = [0, 1, 2, 3].flatMap(index => {
    const [x, y] = [readNumber(measured, `${path}.${index}.x`), readNumber(measured, `${path}.${index}.y`)]
    return x === null || y === null ? [] : { x, y }
  })
  return points.length === 4 ? points : null
}

const checkDigitPattern = /^document\.mrz\.check_digits\.(\w+)\.passed$/

const readZone = (measured: Measured, side: 'front' | 'back') => {
  const { 'document.mrz.valid': valid } = measured
  if (typeof valid !== 'boolean') return null
  const check_digits = Object.entries(measured).flatMap(([path, passed]) => {
    const name = checkDigitPattern.exec(path)?.[1]
    return name === undefined || typeof passed !== 'boolean' ? [] : { name, passed }
  })
  return {
    valid,
    corrected_characters: readNumber(measured, 'document.mrz.corrected_characters') ?? 0,
    check_digits,
    region: readPoints(measured, `document.regions.${side}.zone`),
  }
}

/** The side that shows the zone: the one where it was found; a passport and an unknown one have it in front. */
const zoneSide = (measured: Measured, kinds: readonly string[]): 'front' | 'back' => {
  if (readPoints(measured, 'document.regions.back.zone') !== null) return 'back'
  const isInFront = readPoints(measured, 'document.regions.front.zone') !== null
  return isInFront || !kinds.includes('document_back') ? 'front' : 'back'
}

const nothing = { zone: null, outline: null, portrait: null, face: null }

/** What was found in a capture, as far as the trace has it. Regions are shares of the upright picture. */
export const findInCapture = (measured: Measured, kind: string, kinds: readonly string[]) => {
  const side = kind === 'document_front' ? 'front' : kind === 'document_back' ? 'back' : null
  if (side !== null)
    return {
      zone: zoneSide(measured, kinds) === side ? readZone(measured, side) : null,
      outline: readPoints(measured, `document.regions.${side}.outline`),
      portrait: readBox(measured, `document.regions.${side}.portrait`),
      face: null,
    }
  return kind === 'selfie' ? { ...nothing, face: readBox(measured, 'face.region') } : nothing
}

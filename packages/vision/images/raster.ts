/** A decoded RGB picture: three bytes a pixel, rows from the top. */
export interface RgbImage {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** Shrinks the picture to at most `side` pixels: each pixel is the mean of those that it covers, of every other row. */
export function downsample(picture: RgbImage, side: number): RgbImage {
  const scale = side / Math.max(picture.width, picture.height)
  if (scale >= 1) return picture
  const width = Math.max(1, Math.round(picture.width * scale))
  const height = Math.max(1, Math.round(picture.height * scale))
  const data = new Uint8Array(width * height * 3)
  const pixels = picture.data
  const edge = (index: number, count: number, whole: number): number => Math.floor((index * whole) / count)
  const edges = Int32Array.from({ length: width + 1 }, (_, column) => edge(column, width, picture.width))
  for (let row = 0, to = 0; row < height; row++) {
    const top = edge(row, height, picture.height)
    const bottom = edge(row + 1, height, picture.height)
    for (let column = 0; column < width; column++, to += 3) {
      const left = edges[column] as number
      const right = edges[column + 1] as number
      let red = 0
      let green = 0
      let blue = 0
      for (let y = top; y < bottom; y += 2) {
        const end = (y * picture.width + right) * 3
        for (let at = (y * picture.width + left) * 3; at < end; at += 3) {
          red += pixels[at] as number
          green += pixels[at + 1] as number
          blue += pixels[at + 2] as number
        }
      }
      const count = Math.ceil((bottom - top) / 2) * (right - left)
      data[to] = red / count + 0.5
      data[to + 1] = green / count + 0.5
      data[to + 2] = blue / count + 0.5
    }
  }
  return { data, width, height }
}

/** Returns the value below which `share` of all values of a histogram are; 0 for an empty one. */
export function findQuantile(histogram: Uint32Array, share: number): number {
  let total = 0
  for (const count of histogram) total += count
  let left = Math.floor((total - 1) * share)
  for (let value = 0; value < histogram.length; value++) {
    left -= histogram[value] ?? 0
    if (left < 0 && total > 0) return value
  }
  return 0
}

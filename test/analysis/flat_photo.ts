import sharp from 'sharp'

/**
 * A picture of a picture: `image` printed flat, turned about the vertical by `degrees`, and taken from one and a half of
 * its widths away. What an attacker does who holds a photo before the camera and turns it.
 */
export const flatPhoto = async (image: Uint8Array, degrees: number): Promise<Buffer> => {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const { width, height } = info
  const out = Buffer.alloc(width * height * 3, 200)
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  const distance = 1.5 * width
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      // Where the ray through this pixel meets the turned sheet.
      const rx = (x - width / 2) / distance
      const along = (distance * cos) / (cos - sin * rx)
      const sx = Math.round((along * rx) / cos + width / 2)
      const sy = Math.round((along * (y - height / 2)) / distance + height / 2)
      if (along <= 0 || sx < 0 || sy < 0 || sx >= width || sy >= height) continue
      data.copy(out, (y * width + x) * 3, (sy * width + sx) * 3, (sy * width + sx) * 3 + 3)
    }
  }
  return sharp(out, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 88 })
    .toBuffer()
}

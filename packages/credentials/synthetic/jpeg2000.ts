import loadOpenJpeg from '@cornerstonejs/codec-openjpeg/wasmjs'

export interface Samples {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
  readonly channels: number
}

/** A codestream (ISO/IEC 15444-1, annex A), as portraits of many chips are. */
export async function encodeJpeg2000({ data, width, height, channels }: Samples): Promise<Buffer> {
  const ignore = (): void => {}
  const { J2KEncoder } = await loadOpenJpeg({ print: ignore, printErr: ignore })
  const encoder = new J2KEncoder()
  try {
    const isColour = channels >= 3
    const frame = { width, height, bitsPerSample: 8, componentCount: channels, isSigned: false }
    encoder.getDecodedBuffer({ ...frame, isUsingColorTransform: isColour }).set(data)
    encoder.setQuality(false, 20)
    encoder.encode()
    return Buffer.from(encoder.getEncodedBuffer())
  } finally {
    encoder.delete()
  }
}

function box(type: string, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), ...contents])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length + 4)
  return Buffer.concat([length, content])
}

/** The codestream as a file (annex I). Colour space 16 is RGB, 17 grey; `more` stands among the header's boxes. */
export function wrapJpeg2000(
  codestream: Buffer,
  colourSpace: number,
  more: { readonly type: string } | null = null,
): Buffer {
  const header = Buffer.alloc(14)
  codestream.copy(header, 0, 12, 16)
  codestream.copy(header, 4, 8, 12)
  codestream.copy(header, 8, 40, 42)
  header.set([7, 7, 0, 0], 10)
  const colours = Buffer.from([1, 0, 0, 0, 0, 0, colourSpace])
  return Buffer.concat([
    box('jP  ', Buffer.from('0d0a870a', 'hex')),
    box('ftyp', Buffer.from('jp2 \0\0\0\0jp2 ', 'latin1')),
    box('jp2h', box('ihdr', header), box('colr', colours), ...(more === null ? [] : [box(more.type, Buffer.alloc(8))])),
    box('jp2c', codestream),
  ])
}

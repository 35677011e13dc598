/** Types of the parts that we use of @cornerstonejs/codec-openjpeg 1.3, which ships none: OpenJPEG with its encoder. */
declare module '@cornerstonejs/codec-openjpeg/wasmjs' {
  export interface Encoder {
    /** The memory that the samples are written to, pixel by pixel. */
    getDecodedBuffer(frame: {
      readonly width: number
      readonly height: number
      readonly bitsPerSample: number
      readonly componentCount: number
      readonly isSigned: boolean
      readonly isUsingColorTransform: boolean
    }): Uint8Array
    /** `rate`: the file is a so-manieth of the samples; 0 with `lossless`. */
    setQuality(lossless: boolean, rate: number): void
    encode(): void
    getEncodedBuffer(): Uint8Array
    delete(): void
  }
  const load: (options: {
    readonly print: (line: string) => void
    readonly printErr: (line: string) => void
  }) => Promise<{ readonly J2KEncoder: new () => Encoder }>
  export default load
}

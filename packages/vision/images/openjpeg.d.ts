/**
 * The part of @cornerstonejs/codec-openjpeg 1.3 (OpenJPEG, compiled to wasm) that is used here. The library ships no
 * types.
 */
declare module '@cornerstonejs/codec-openjpeg/decodewasmjs' {
  export interface FrameInfo {
    readonly width: number
    readonly height: number
    readonly bitsPerSample: number
    readonly componentCount: number
    readonly isSigned: boolean
  }
  export interface Decoder {
    /** The memory that the codestream is written to. */
    getEncodedBuffer(length: number): Uint8Array
    /** Reports nothing of a codestream that it cannot decode. */
    decode(): void
    getFrameInfo(): FrameInfo
    /** Samples of each pixel, row by row. Another call, or `delete`, makes it void. */
    getDecodedBuffer(): Uint8Array
    delete(): void
  }
  const load: (options: {
    readonly print: (line: string) => void
    readonly printErr: (line: string) => void
  }) => Promise<{ readonly J2KDecoder: new () => Decoder }>
  export default load
}

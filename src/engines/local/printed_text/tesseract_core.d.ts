/** What we use of tesseract.js-core 7, which ships no types: Tesseract's own API, compiled to wasm. */
declare module 'tesseract.js-core/tesseract-core-simd-lstm.js' {
  /** tesseract::TessBaseAPI. */
  export interface TessBaseApi {
    /** 0 where it worked. `mode` 1 is the LSTM alone. */
    Init(folder: null, language: string, mode: number): number
    SetVariable(name: string, value: string): boolean
    /** Takes the file `/input`. 0 where it worked. */
    SetImageFile(exif: number, angle: number): number
    Recognize(monitor: null): number
    /** Rows of level, page, block, paragraph, line, word, left, top, width, height, confidence (0-100), text. */
    GetTSVText(page: number): string
    Clear(): void
  }
  /** The compiled module. */
  export interface TesseractModule {
    readonly FS: { writeFile(path: string, data: Uint8Array): void; unlink(path: string): void }
    readonly TessBaseAPI: new () => TessBaseApi
  }
  const load: (options: {
    readonly wasmBinary: Uint8Array
    readonly print: (line: string) => void
    readonly printErr: (line: string) => void
  }) => Promise<TesseractModule>
  export default load
}

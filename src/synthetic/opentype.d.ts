/** What we use of opentype.js 1.3, which ships no types and is CommonJS. */
declare module 'opentype.js' {
  /** An outline in pixels, `y` downwards. */
  export interface Path {
    toPathData(decimals: number): string
  }
  /** One glyph; its advance is in font units. */
  export interface Glyph {
    readonly advanceWidth: number
    getPath(x: number, y: number, size: number): Path
  }
  /** A parsed font. */
  export interface Font {
    readonly unitsPerEm: number
    charToGlyph(character: string): Glyph
    hasChar(character: string): boolean
  }
  const opentype: { parse(bytes: ArrayBuffer): Font }
  export default opentype
}

/** The part of opentype.js 1.3 that is used here. The library ships no types and is CommonJS. */
declare module 'opentype.js' {
  /** A step of an outline, as SVG names it: `C` is never used by TrueType. */
  export interface PathCommand {
    readonly type: 'M' | 'L' | 'Q' | 'Z'
    readonly x1?: number
    readonly y1?: number
    readonly x?: number
    readonly y?: number
  }
  /** An outline in pixels, `y` downwards. */
  export interface Path {
    readonly commands: readonly PathCommand[]
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

import { writeSync } from 'node:fs'

interface WasmMemory {
  grow(pages: number): number
}

const { Memory } = Reflect.get(globalThis, 'WebAssembly') as { readonly Memory: { readonly prototype: WasmMemory } }

/**
 * Ends this process where the memory of a WebAssembly program can't grow. Emscripten's programs go on then: `malloc`
 * returns null, XNNPACK leaves out its convolutions, and a face is embedded as noise, without an error.
 */
export function endWithoutWasmMemory(): void {
  const { grow } = Memory.prototype
  Memory.prototype.grow = function (this: WasmMemory, pages) {
    try {
      return grow.call(this, pages)
    } catch (error) {
      writeSync(process.stderr.fd, `no memory for WebAssembly: ${error}\n`)
      return process.exit(1)
    }
  }
}

import { registerHooks } from 'node:module'
import { coreFaults } from './planted.ts'

/** `node --import` of this file plants the fault whose number `PLANTED_FAULT` names, before any other file is loaded. */
const planted = coreFaults[Number(process.env.PLANTED_FAULT)]

if (planted !== undefined) {
  const url = new URL(`../../${planted.file}`, import.meta.url).href
  registerHooks({
    load(loaded, context, next) {
      const result = next(loaded, context)
      if (loaded !== url) return result
      const source = String(result.source)
      const parts = source.split(planted.from)
      if (parts.length !== 2) throw new Error(`${planted.name}: ${planted.file} has its text ${parts.length - 1} times`)
      return { ...result, source: parts.join(planted.to) }
    },
  })
}

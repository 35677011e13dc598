import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** WCAG 2's relative luminance of `#rrggbb`. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map(at => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map(value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** White on the accent where that can be read, else black: one of them has a contrast of 4.5 with any colour. */
function inkOn(accent: string): string {
  return 1.05 / (luminance(accent) + 0.05) >= 4.5 ? '#ffffff' : '#000000'
}

/** The page's styles, in the operator's colour where there is one. */
export function createStyle(accent: string | null): string {
  const style = readFileSync(join(import.meta.dirname, 'page/page.css'), 'utf8')
  return accent === null ? style : `${style}:root{--accent:${accent};--on-accent:${inkOn(accent)}}\n`
}

/** The hash by which a policy allows an inline style. */
export function hashStyle(style: string): string {
  return `sha256-${createHash('sha256').update(style).digest('base64')}`
}

import type { Overrides } from './texts.ts'

/** How the operator wants the page to look and to speak. */
export interface Branding {
  readonly name: string
  readonly logo_url: string | null
  readonly accent: string | null
  readonly texts: Overrides
}

const plain: Branding = { name: 'Attestor', logo_url: null, accent: null, texts: {} }

/** The page does without: a person who can't load a logo can still be verified. */
export const loadBranding = async (): Promise<Branding> => {
  try {
    const response = await fetch(new URL('verify/branding.json', document.baseURI))
    if (!response.ok) return plain
    const answer = (await response.json()) as Partial<Branding>
    return { ...plain, ...answer, texts: answer.texts ?? {} }
  } catch {
    return plain
  }
}

const luminance = (hex: string): number => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map(at => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map(value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** WCAG 2: white on the accent where that is the better contrast, else black. */
export const inkOn = (accent: string): string => (1.05 / (luminance(accent) + 0.05) >= 4.5 ? '#ffffff' : '#000000')

export const applyAccent = ({ accent }: Branding): void => {
  if (accent === null || !/^#[0-9a-f]{6}$/i.test(accent)) return
  const { style } = document.documentElement
  style.setProperty('--accent', accent)
  style.setProperty('--on-accent', inkOn(accent))
}

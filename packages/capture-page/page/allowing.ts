const pictures = {
  chromium: new URL('./pictures/allow_chromium.svg', import.meta.url),
  firefox: new URL('./pictures/allow_firefox.svg', import.meta.url),
  safari: new URL('./pictures/allow_safari.svg', import.meta.url),
  settings: new URL('./pictures/allow_settings.svg', import.meta.url),
} as const

type Way = keyof typeof pictures

/** On an iPhone only Safari has settings for a page; those of another browser are among the phone's. */
const ways: readonly (readonly [RegExp, Way])[] = [
  [/\b(CriOS|FxiOS|EdgiOS|OPiOS|OPT)\//, 'settings'],
  [/\bFirefox\//, 'firefox'],
  [/Chrom(e|ium)\//, 'chromium'],
  [/\bVersion\/.* Safari\//, 'safari'],
]

/** Returns the place where a browser has the permission to use the camera; null if that is not known. */
export function findWay(userAgent: string): Way | null {
  return ways.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null
}

/** Returns a picture of how to allow the camera in this browser; null if that is not known. */
export function findAllowing(): URL | null {
  const way = findWay(navigator.userAgent)
  return way === null ? null : pictures[way]
}

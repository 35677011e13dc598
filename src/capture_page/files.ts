import type { Language } from './page/texts.ts'

/** The one file of the capture page that no module of it imports: a path in the repository. */
export const captureScript = 'src/capture_page/page/main.ts'

/** The module with the page's texts in a language. */
export const toTextsFile = (language: Language): string => `src/capture_page/page/texts/${language}.ts`

/**
 * Nothing from elsewhere runs, is loaded or is asked, and no other page may frame this one. The one style is that of this
 * hash, and WebAssembly is compiled for the detector of faces alone.
 */
export const createPolicy = (styleHash: string): string =>
  [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    `style-src '${styleHash}'`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "media-src 'self' blob:",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** What a browser could ask the person for: the page has the camera, and nothing else. */
const unused = [
  ...['accelerometer', 'display-capture', 'geolocation', 'gyroscope', 'hid', 'magnetometer', 'microphone'],
  ...['midi', 'payment', 'publickey-credentials-get', 'serial', 'usb', 'xr-spatial-tracking'],
]

export const capturePermissions = ['camera=(self)', ...unused.map(name => `${name}=()`)].join(', ')

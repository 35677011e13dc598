import { isOwnLanguage } from './page/texts.ts'

/** The capture page's entry module: a path in the repository. */
export const captureScript = 'packages/capture-page/page/main.ts'

/** The module with the page's texts in a language. Those of the operator's languages are in the page itself. */
export function toTextsFile(language: string): string {
  return `packages/capture-page/page/texts/${isOwnLanguage(language) ? language : 'en'}.json.js`
}

/**
 * The page runs, loads and calls nothing from other origins. Its only style has this hash. WebAssembly is allowed for the
 * face detector. Who may frame it is added for each transaction.
 */
export function createPolicy(styleHash: string): string {
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    `style-src '${styleHash}'`,
    "img-src 'self' blob:",
    "connect-src 'self'",
    "media-src 'self' blob:",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

/** Permissions that the page never uses: it needs the camera, and where a policy names them wallets and the location. */
const unused = [
  'accelerometer',
  'display-capture',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'serial',
  'usb',
  'xr-spatial-tracking',
]

const used = ['camera', 'digital-credentials-get', 'geolocation']

export const capturePermissions = [...used.map(name => `${name}=(self)`), ...unused.map(name => `${name}=()`)].join(
  ', ',
)

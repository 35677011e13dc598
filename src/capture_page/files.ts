import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const captureScript = 'src/capture_page/page/main.ts'

/** Files of the capture page that no module of it imports: paths in the repository. */
export const captureEntries: readonly string[] = [captureScript, 'src/capture_page/page/page.css']

/**
 * The page, whose files are below `assets`, a path relative to the page's own. It asks at once for all the modules that its
 * script needs: one that is found only in another costs a slow network a round trip.
 */
export const renderCapturePage = (assets: string, modules: readonly string[]): string =>
  readFileSync(join(import.meta.dirname, 'page/page.html'), 'utf8')
    .replace('{{preloads}}', modules.map(path => `<link rel="modulepreload" href="{{assets}}/${path}">`).join('\n    '))
    .replaceAll('{{assets}}', assets)

/**
 * Nothing from elsewhere runs, is loaded or is asked, and no other page may frame this one. WebAssembly is compiled for
 * the detector of faces alone.
 */
export const capturePolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
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

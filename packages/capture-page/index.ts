export {
  type AccountLook,
  type Branding,
  type Logo,
  lookFields,
  type OperatorBranding,
  plainBranding,
  readBranding,
  toBranding,
  toLogo,
} from './branding.ts'
export { readCaptureScript } from './embed/script.ts'
export { capturePermissions, captureScript } from './files.ts'
export { type OwnBranding, openCapturePages } from './render_page.ts'

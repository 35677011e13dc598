export { type Logo, type OperatorBranding, plainBranding, readBranding } from './branding.ts'
export { readCaptureScript } from './embed/script.ts'
export { capturePermissions, captureScript } from './files.ts'
export { openCapturePages } from './render_page.ts'

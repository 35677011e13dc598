import { asError } from '../base/api_error.ts'
import { type Branding, plainBranding, readBranding } from '../capture_page/branding.ts'
import { ConfigError } from '../config.ts'

/** The branding of the setting `BRANDING`. @throws {ConfigError} for a bad file */
export const openBranding = (file: string): Branding => {
  if (file === '') return plainBranding
  try {
    return readBranding(file)
  } catch (cause) {
    throw new ConfigError(`BRANDING: ${file}: ${asError(cause).message}`, { cause })
  }
}

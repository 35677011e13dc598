import { asError } from '../base/api_error.ts'
import { ConfigError } from '../config/settings.ts'
import { type OperatorBranding, plainBranding, readBranding } from '../pages/capture/branding.ts'

/** The branding of the setting `BRANDING`. @throws {ConfigError} for a bad file */
export function openBranding(file: string | null): OperatorBranding {
  if (file === null) return plainBranding
  try {
    return readBranding(file)
  } catch (cause) {
    throw new ConfigError(`BRANDING: ${file}: ${asError(cause).message}`, { cause })
  }
}

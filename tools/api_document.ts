import { checkDestination } from '@attestor/outbound'
import { settings } from '../src/config/settings.ts'
import { featureEndpoints } from '../src/feature_parts.ts'
import { apiEndpoints, nodeEndpoints } from '../src/http/endpoints/table.ts'
import { createApiDocument } from '../src/http/openapi/documents.ts'

/** The OpenAPI document of a service at a made-up address, with the defaults of the settings. */
export function apiDocument(): object {
  const defaultTtlMinutes = Number(settings.TRANSACTION_TTL_MINUTES.default)
  const baseUrl = 'https://attestor.example.com'
  const deps = { baseUrl, checkDestination, defaultTtlMinutes, embedOrigins: [], redirectSchemes: [] }
  return createApiDocument(deps, [...nodeEndpoints, ...apiEndpoints, ...featureEndpoints])
}

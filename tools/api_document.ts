import { settings } from '../src/config/settings.ts'
import { apiEndpoints, nodeEndpoints } from '../src/http/endpoints/table.ts'
import { checkDestination } from '../src/webhooks/destination.ts'
import { createApiDocument } from './openapi/document.ts'
import type { ApiDocument } from './reference/openapi.ts'
import { placeholder } from './reference/site.ts'

function createDocument(baseUrl: string, defaultTtlMinutes: number): ApiDocument {
  const deps = { baseUrl, checkDestination, defaultTtlMinutes, embedOrigins: [], redirectSchemes: [] }
  return createApiDocument(deps, [...nodeEndpoints, ...apiEndpoints])
}

/** The OpenAPI document of a service at a made-up address, with the defaults of the settings. */
export function apiDocument(): ApiDocument {
  return createDocument('https://attestor.example.com', Number(settings.TRANSACTION_TTL_MINUTES.default))
}

/** The document as it is written for every service, which fills in its own address and settings. */
export function openDocument(): ApiDocument {
  return createDocument(placeholder('base_url'), placeholder('ttl_minutes') as unknown as number)
}

import { apiEndpoints, nodeEndpoints } from '../src/http/endpoints/table.ts'
import { createApiDocument } from '../src/http/openapi/documents.ts'
import { checkDestination } from '../src/webhooks/destination.ts'

/** The OpenAPI document of a service at a made-up address. */
export const apiDocument = (): object =>
  createApiDocument({ baseUrl: 'https://attestor.example.com', checkDestination }, [...nodeEndpoints, ...apiEndpoints])

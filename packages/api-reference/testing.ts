export { listRoutes, resolveSchema } from './openapi.ts'
export { indexEntries } from './page/entries.ts'

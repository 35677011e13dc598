export type { ApiDocument, Content, ErrorCode, Operation, Parameter, Schema } from './openapi.ts'
export { openSite, type SiteFile, siteIcon, siteScript, siteStyle } from './site.ts'

import { verifyPath } from '../http/paths.ts'

/** The paths that a wallet calls, without a token: the URL itself is the permission for the request. */
export const walletPath = '/api/wallet/v1/{transaction_id}/{request_id}'

/** The page to which a wallet brings the person who opened it: the page where they began goes on by itself. */
export function createReturnUrl(baseUrl: string): string {
  return `${baseUrl}${verifyPath}#wallet`
}

/** The URLs of a request that a link or a QR code brings to a wallet. */
export function createLinkUrls(baseUrl: string, transaction_id: string, request_id: string) {
  const own = `${baseUrl}${walletPath.replace('{transaction_id}', transaction_id).replace('{request_id}', request_id)}`
  return { request_uri: `${own}/request`, response_uri: `${own}/response` }
}

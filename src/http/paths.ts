/** The paths that an integrator's backend calls. */
export const apiPrefix = '/api/account/integration/kyc'

/** The paths that a device calls. */
export const sessionPrefix = '/api/sdk/v1/session'

/** The path on which a device without a token takes a capture over. */
export const handoffPath = '/api/sdk/v1/handoff'

/** The page on which a person captures in a browser. */
export const verifyPath = '/verify'

/**
 * The page of one transaction, which identifies the account and the pages that may frame it. The files of the page are
 * relative to both.
 */
export const transactionPage = `${verifyPath}-{transaction_id}`

/** The capture page for the holder of `fragment`. A browser does not send the fragment, so no log and no proxy sees it. */
export function createVerifyUrl(baseUrl: string, fragment: string, transaction_id: string | null): string {
  const path = transaction_id === null ? verifyPath : transactionPage.replace('{transaction_id}', transaction_id)
  return `${baseUrl}${path}#${fragment}`
}

/** Returns the URL of a new resource. */
export function createLocation(
  baseUrl: string,
  resource: 'customer' | 'transaction',
  id: string,
): { Location: string } {
  return {
    Location: `${baseUrl}${apiPrefix}/${resource}/${id}`,
  }
}

/** Where an integrator's backend calls. */
export const apiPrefix = '/api/account/integration/kyc'

/** Where a device calls. */
export const sessionPrefix = '/api/sdk/v1/session'

/** The URL of what was just created. */
export const createLocation = (
  baseUrl: string,
  resource: 'customer' | 'transaction',
  id: string,
): { Location: string } => ({
  Location: `${baseUrl}${apiPrefix}/${resource}/${id}`,
})

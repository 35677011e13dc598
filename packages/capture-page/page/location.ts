/** The person's answer, in the form of the service. Until there is an answer, nothing is known. */
type Location =
  | { readonly location_permission: 'not_requested' | 'denied' | 'granted' }
  | {
      readonly location_permission: 'granted'
      readonly geolocation: { readonly latitude: number; readonly longitude: number }
    }

let known: Location = { location_permission: 'not_requested' }

/** A country is enough, and a position of the last ten minutes. */
const options = { timeout: 20_000, maximumAge: 600_000 } as const

/** Asks the browser, which asks the person. The capture does not wait for the answer. */
export function askLocation(): Promise<void> {
  return new Promise(resolve => {
    const keep = (location: Location): void => {
      known = location
      resolve()
    }
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) =>
        keep({ location_permission: 'granted', geolocation: { latitude, longitude } }),
      // The person has allowed the position, even if reading it fails.
      ({ code, PERMISSION_DENIED }) => keep({ location_permission: code === PERMISSION_DENIED ? 'denied' : 'granted' }),
      options,
    )
  })
}

/** Reads the answer. After a reload the person is not asked again, but an earlier answer counts. */
export async function readLocation(): Promise<Location> {
  if (known.location_permission === 'not_requested') {
    // iPhones before 2022 don't say.
    const permissions: Permissions | undefined = navigator.permissions
    const state = (await permissions?.query({ name: 'geolocation' }))?.state
    if (state === 'denied') known = { location_permission: 'denied' }
    if (state === 'granted') await askLocation()
  }
  return known
}

import { iso1A2Code } from '@rapideditor/country-coder'
import { isCountry } from './countries.ts'

/** In degrees. */
export function areCoordinates(latitude: unknown, longitude: unknown): boolean {
  return (
    typeof latitude === 'number' &&
    typeof longitude === 'number' &&
    Math.abs(latitude) <= 90 &&
    Math.abs(longitude) <= 180
  )
}

/** ISO 3166-1 alpha-2 of the territory (PR, not US); null at sea, or without coordinates. */
export function findCountryAt(latitude: number | null, longitude: number | null): string | null {
  if (latitude === null || longitude === null || !areCoordinates(latitude, longitude)) return null
  const territory = iso1A2Code([longitude, latitude], { level: 'territory' })
  // Ceuta and Melilla have a code that ISO only reserves (EA), and that no address database uses.
  if (territory === null || isCountry(territory)) return territory
  return iso1A2Code([longitude, latitude], { level: 'country' })
}

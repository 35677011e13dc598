import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { open } from 'maxmind'
import { parseAddressList } from './address_ranges.ts'
import type { ServerObservation } from './metadata.ts'

/** What the operator's files say of an address. */
export type AddressBook = (address: string | null) => ServerObservation

/** Paths of the operator's files; empty where there is none. */
export interface AddressFiles {
  readonly countries: string
  readonly vpn: string
  readonly tor: string
}

/** The forms in which databases name a country: MaxMind's own, and two that others use. */
interface CountryRecord {
  readonly country?: { readonly iso_code?: unknown } | string
  readonly country_code?: unknown
}

const countryIn = (record: CountryRecord | null): string | null => {
  const { country, country_code } = record ?? {}
  const code = typeof country === 'object' ? country.iso_code : (country ?? country_code)
  return typeof code === 'string' && /^[A-Z]{2}$/i.test(code) ? code.toUpperCase() : null
}

type Lookup<T> = (address: string) => T

const countriesOf = async (file: string): Promise<Lookup<string | null>> => {
  if (file === '') return () => null
  const reader = await open(file)
  const look = (address: string): string | null => countryIn(reader.get(address) as CountryRecord | null)
  // A file that was cut off opens, and fails at its first use.
  for (const probe of ['192.0.2.1', '1.1.1.1', '203.0.113.255']) look(probe)
  return address => {
    if (address.includes('%') || (isIP(address) === 6 && reader.metadata.ipVersion === 4)) return null
    return look(address)
  }
}

const listOf = async (file: string): Promise<Lookup<boolean | null>> =>
  file === '' ? () => null : parseAddressList(await readFile(file, 'utf8'))

const opened = async <T>(setting: string, opening: Promise<T>): Promise<T> => {
  try {
    return await opening
  } catch (cause) {
    throw new Error(`${setting}: cannot be used: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

/**
 * Reads the operator's files into memory, once.
 * @throws {Error} naming the setting of a file that is missing or damaged
 */
export const openAddressBook = async ({ countries, vpn, tor }: AddressFiles): Promise<AddressBook> => {
  const countryOf = await opened('IP_COUNTRY_DATABASE', countriesOf(countries))
  const isVpn = await opened('VPN_ADDRESSES_FILE', listOf(vpn))
  const isTor = await opened('TOR_ADDRESSES_FILE', listOf(tor))
  return address => {
    if (address === null || isIP(address) === 0) return { ip_address: address, ip_country: null }
    return {
      ip_address: address,
      ip_country: countryOf(address),
      vpn_listed: isVpn(address),
      tor_listed: isTor(address),
    }
  }
}

import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { open } from 'maxmind'
import type { Clock } from '../base/clock.ts'
import { type Log, silentLog } from '../base/log.ts'
import { isCountry } from '../decision/countries.ts'
import type { ServerObservation } from '../decision/metadata.ts'
import { parseAddressList } from './address_ranges.ts'

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
  return typeof code === 'string' && isCountry(code.toUpperCase()) ? code.toUpperCase() : null
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

const listOf = async (file: string): Promise<Lookup<boolean | null>> => {
  if (file === '') return () => null
  const written = await readFile(file, 'utf8')
  // Who means that nothing is listed says so in a comment: an empty file is one whose making failed.
  if (written.trim() === '') throw new Error('is empty')
  return parseAddressList(written)
}

/** A file that is looked into as it was when it could last be used. */
interface Kept<T> {
  readonly setting: string
  readonly look: Lookup<T>
  /** Whether what is looked into is what lies there; as of the last refresh. */
  isCurrent(): boolean
  /** Reads it again where it has changed. What can't be used leaves what was. */
  refresh(): Promise<void>
}

/** Another file, or the same one written anew; null where there is none. */
const stampOf = async (file: string): Promise<string | null> => {
  const found = await stat(file, { bigint: true }).catch(() => null)
  return found && [found.ino, found.size, found.mtimeNs].join()
}

const unusable = (setting: string, cause: unknown): Error =>
  new Error(`${setting}: cannot be used: ${cause instanceof Error ? cause.message : cause}`, { cause })

interface FileOf<T> {
  readonly setting: string
  readonly file: string
  readonly open: (file: string) => Promise<Lookup<T>>
}

/** Opens a file. @throws {Error} naming the setting where it can't be used */
const keep = async <T>({ setting, file, open }: FileOf<T>, log: Log): Promise<Kept<T>> => {
  let seen = await stampOf(file)
  let lookup = await open(file).catch(cause => {
    throw unusable(setting, cause)
  })
  let is_current = true
  return {
    setting,
    look: address => lookup(address),
    isCurrent: () => is_current,
    async refresh() {
      const stamp = file === '' ? seen : await stampOf(file)
      if (stamp === seen) return
      try {
        const fresh = await open(file)
        // Written while it was read: the next time it may be whole.
        if ((await stampOf(file)) !== stamp) return
        lookup = fresh
        is_current = true
        log.info({ setting }, 'an address file was read anew')
      } catch (error) {
        is_current = false
        log.error({ error: unusable(setting, error).message }, 'an address file can not be used: the last one is kept')
      }
      seen = stamp
    },
  }
}

/** The operator's files, open. */
export interface AddressFilesOpen {
  readonly look: AddressBook
  /** Of each file that is set, by its setting: false while what lies there can't be used, and an older one is. */
  current(): Readonly<Record<string, boolean>>
  /** Reads anew what has changed since. Rejects never. */
  refresh(): Promise<void>
}

/**
 * Reads the operator's files into memory.
 * @throws {Error} naming the setting of a file that is missing or damaged
 */
export const openAddressBook = async (files: AddressFiles, log: Log = silentLog): Promise<AddressFilesOpen> => {
  const countries = await keep({ setting: 'IP_COUNTRY_DATABASE', file: files.countries, open: countriesOf }, log)
  const vpn = await keep({ setting: 'VPN_ADDRESSES_FILE', file: files.vpn, open: listOf }, log)
  const tor = await keep({ setting: 'TOR_ADDRESSES_FILE', file: files.tor, open: listOf }, log)
  const set = [files.countries && countries, files.vpn && vpn, files.tor && tor].filter(one => one !== '')
  return {
    look(address) {
      if (address === null || isIP(address) === 0) return { ip_address: address, ip_country: null }
      return {
        ip_address: address,
        ip_country: countries.look(address),
        vpn_listed: vpn.look(address),
        tor_listed: tor.look(address),
      }
    },
    current: () => Object.fromEntries(set.map(({ setting, isCurrent }) => [setting, isCurrent()])),
    async refresh() {
      for (const { refresh } of set) await refresh()
    },
  }
}

/** The files while they are watched. */
export interface AddressFilesWatched extends Pick<AddressFilesOpen, 'current'> {
  stop(): void
}

/** Looks every so often whether the files have changed; 0 never. */
export const watchAddressFiles = (
  { current, refresh }: Omit<AddressFilesOpen, 'look'>,
  clock: Clock,
  interval_ms: number,
): AddressFilesWatched => {
  let cancel = (): void => {}
  let over = false
  const wait = (): void => {
    cancel = clock.setTimer(interval_ms, () => void refresh().then(() => over || wait()))
  }
  if (interval_ms > 0) wait()
  return {
    current,
    stop() {
      over = true
      cancel()
    },
  }
}

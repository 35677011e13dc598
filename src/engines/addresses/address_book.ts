import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { isCountry, type ServerObservation } from '@attestor/rules'
import { open } from 'maxmind'
import { asError } from '../../base/api_error.ts'
import type { Clock } from '../../base/clock.ts'
import { type Log, silentLog } from '../../base/log.ts'
import { repeat } from '../../base/time.ts'
import { parseAddressList } from './address_ranges.ts'

/** Looks an address up in the operator's files. */
export type AddressBook = (address: string | null) => ServerObservation

/** Paths of the operator's files; null where there is none. */
export interface AddressFiles {
  readonly countries: string | null
  readonly vpn: string | null
  readonly tor: string | null
}

/** The forms in which databases name a country: MaxMind's own, and two that others use. */
interface CountryRecord {
  readonly country?: { readonly iso_code?: unknown } | string
  readonly country_code?: unknown
}

function readCountry(record: CountryRecord | null): string | null {
  const { country, country_code } = record ?? {}
  const code = typeof country === 'object' ? country.iso_code : (country ?? country_code)
  return typeof code === 'string' && isCountry(code.toUpperCase()) ? code.toUpperCase() : null
}

type Lookup<T> = (address: string) => T

async function openCountryDatabase(file: string): Promise<Lookup<string | null>> {
  const reader = await open(file)
  const look = (address: string): string | null => readCountry(reader.get(address) as CountryRecord | null)
  // A truncated file opens without an error, and fails at its first lookup.
  for (const probe of ['192.0.2.1', '1.1.1.1', '203.0.113.255']) look(probe)
  return address => {
    if (address.includes('%') || (isIP(address) === 6 && reader.metadata.ipVersion === 4)) return null
    return look(address)
  }
}

async function openAddressList(file: string): Promise<Lookup<boolean | null>> {
  const written = await readFile(file, 'utf8')
  // An empty file is a failed download: a list without entries has at least a comment.
  if (written.trim() === '') throw new Error('is empty')
  return parseAddressList(written)
}

/** The last version of a file that could be read. */
interface OpenFile<T> {
  readonly setting: string
  readonly look: Lookup<T>
  /** Whether the version in use is the file's, as of the last refresh. */
  isCurrent(): boolean
  /** Reads the file again if it has changed. An invalid file leaves the last version in use. */
  refresh(): Promise<void>
}

/** Changes with every new version of a file; null where there is none. */
async function readFileStamp(file: string): Promise<string | null> {
  const found = await stat(file, { bigint: true }).catch(() => null)
  return found && [found.ino, found.size, found.mtimeNs].join()
}

function createUnusableFileError(setting: string, cause: unknown): Error {
  return new Error(`${setting}: cannot be used: ${asError(cause).message}`, { cause })
}

interface FileSetting<T> {
  readonly setting: string
  readonly file: string | null
  readonly open: (file: string) => Promise<Lookup<T>>
}

/** Opens a file; null where there is none. @throws {Error} naming the setting where it can't be used */
async function openFile<T>({ setting, file, open }: FileSetting<T>, log: Log): Promise<OpenFile<T> | null> {
  if (file === null) return null
  let seen = await readFileStamp(file)
  let lookup = await open(file).catch(cause => {
    throw createUnusableFileError(setting, cause)
  })
  let is_current = true
  return {
    setting,
    look: address => lookup(address),
    isCurrent: () => is_current,
    async refresh() {
      const stamp = await readFileStamp(file)
      if (stamp === seen) return
      try {
        const fresh = await open(file)
        // It was written while it was read: try again next time.
        if ((await readFileStamp(file)) !== stamp) return
        lookup = fresh
        is_current = true
        log.info({ setting }, 'an address file was reloaded')
      } catch (error) {
        is_current = false
        log.error(
          { error: createUnusableFileError(setting, error).message },
          'an address file cannot be used: the last version stays in use',
        )
      }
      seen = stamp
    },
  }
}

export interface OpenAddressFiles {
  readonly look: AddressBook
  /** Returns false, under a file's setting, while an older version is in use because the file is invalid. */
  current(): Readonly<Record<string, boolean>>
  /** Reloads the files that have changed. Never rejects. */
  refresh(): Promise<void>
}

/**
 * Reads the operator's files into memory.
 * @throws {Error} naming the setting of a file that is missing or damaged
 */
export async function openAddressBook(files: AddressFiles, log: Log = silentLog): Promise<OpenAddressFiles> {
  const countries = await openFile(
    { setting: 'IP_COUNTRY_DATABASE', file: files.countries, open: openCountryDatabase },
    log,
  )
  const vpn = await openFile({ setting: 'VPN_ADDRESSES_FILE', file: files.vpn, open: openAddressList }, log)
  const tor = await openFile({ setting: 'TOR_ADDRESSES_FILE', file: files.tor, open: openAddressList }, log)
  const set = [countries, vpn, tor].filter(one => one !== null)
  return {
    look(address) {
      if (address === null || isIP(address) === 0) return { ip_address: address, ip_country: null }
      return {
        ip_address: address,
        ip_country: countries?.look(address) ?? null,
        vpn_listed: vpn?.look(address) ?? null,
        tor_listed: tor?.look(address) ?? null,
      }
    },
    current: () => Object.fromEntries(set.map(({ setting, isCurrent }) => [setting, isCurrent()])),
    async refresh() {
      for (const { refresh } of set) await refresh()
    },
  }
}

export interface WatchedAddressFiles extends Pick<OpenAddressFiles, 'current'> {
  stop(): Promise<void>
}

/** Refreshes the files at an interval; 0 is never. */
export function watchAddressFiles(
  { current, refresh }: Omit<OpenAddressFiles, 'look'>,
  clock: Clock,
  intervalMs: number,
): WatchedAddressFiles {
  if (intervalMs === 0) return { current, stop: async () => {} }
  const refreshAgain = async (): Promise<number> => {
    await refresh()
    return intervalMs
  }
  return { current, stop: repeat(clock, refreshAgain, intervalMs).stop }
}

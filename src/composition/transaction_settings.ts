import type { TransactionLimits } from '../../machines/transaction.ts'
import { type OpenAddressFiles, openAddressBook } from '../addresses/address_book.ts'
import type { Log } from '../base/log.ts'
import { type Config, ConfigError } from '../config.ts'

/** The limits of new transactions, but their lifetime. */
export const limitsOf = (config: Config): Omit<TransactionLimits, 'ttl_ms'> => ({
  capture_attempts: config.CAPTURE_ATTEMPTS,
  challenge_attempts: config.CHALLENGE_ATTEMPTS,
  challenge_ms: config.CHALLENGE_SECONDS * 1000,
  analysis_attempts: config.ANALYSIS_ATTEMPTS,
  analysis_backoff_ms: config.ANALYSIS_BACKOFF_SECONDS * 1000,
  analysis_deadline_ms: config.ANALYSIS_DEADLINE_SECONDS * 1000,
})

/** What the operator's files say of addresses. @throws {ConfigError} naming the setting of a file that can't be used */
export const addressBookOf = async (config: Config, log: Log): Promise<OpenAddressFiles> => {
  const { IP_COUNTRY_DATABASE: countries, VPN_ADDRESSES_FILE: vpn, TOR_ADDRESSES_FILE: tor } = config
  try {
    return await openAddressBook({ countries, vpn, tor }, log)
  } catch (cause) {
    throw new ConfigError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

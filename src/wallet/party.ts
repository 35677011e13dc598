import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { WalletParty } from '@attestor/credentials/wallet'
import { asError } from '../base/api_error.ts'
import { ConfigError } from '../base/setting.ts'
import type { Config } from '../config/settings.ts'

type PartySettings = Pick<Config, 'WALLET_CERTIFICATE_FILE' | 'WALLET_KEY_FILE' | 'WALLET_INFO_FILE'>

/** @throws {ConfigError}, which names the setting */
function readFileOf<T>(name: keyof PartySettings, file: string, read: (text: string) => T): T {
  try {
    return read(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new ConfigError(`${name}: ${file}: ${asError(cause).message}`, { cause })
  }
}

function readCertificates(text: string): readonly Buffer[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new Error('holds no certificate')
  return blocks.map(block => new X509Certificate(block).raw)
}

function readKey(text: string) {
  const key = createPrivateKey(text)
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('must be a key of P-256')
  return key
}

function readInfo(text: string): readonly object[] {
  const info: unknown = JSON.parse(text)
  if (!Array.isArray(info) || info.some(one => typeof one !== 'object' || one === null))
    throw new Error('must be an array of objects')
  return info as readonly object[]
}

/** The operator as a relying party, by its files; null without a certificate. @throws {ConfigError} */
export function readParty(config: PartySettings): WalletParty | null {
  const { WALLET_CERTIFICATE_FILE: certificateFile, WALLET_KEY_FILE: keyFile, WALLET_INFO_FILE: infoFile } = config
  if (certificateFile === null || keyFile === null) return null
  const certificates = readFileOf('WALLET_CERTIFICATE_FILE', certificateFile, readCertificates)
  const key = readFileOf('WALLET_KEY_FILE', keyFile, readKey)
  if (!new X509Certificate(certificates[0] ?? Buffer.alloc(0)).checkPrivateKey(key))
    throw new ConfigError('WALLET_KEY_FILE: is not the key of WALLET_CERTIFICATE_FILE')
  const verifier_info = infoFile === null ? [] : readFileOf('WALLET_INFO_FILE', infoFile, readInfo)
  return { certificates, key, verifier_info }
}

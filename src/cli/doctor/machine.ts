import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type ModelFile, modelFiles, readPinnedFile } from '@attestor/vision'
import { asError } from '../../base/api_error.ts'
import { type Config, getEngineNames, settings } from '../../config/settings.ts'
import { error, type Finding, ok, orOk, warning } from './finding.ts'

/** Finds settings that are valid each by itself, and yet wrong. */
export function checkSettings(config: Config): readonly Finding[] {
  const isPublic = !/^(localhost|127\.|::1)/.test(config.HOST)
  const missing = settings.ROLES.default.split(',').filter(role => !config.ROLES.some(own => own === role))
  const isScripted = Object.values(getEngineNames(config)).includes('scripted')
  return orOk('settings', 'all settings can be used', [
    ...(isPublic && config.BASE_URL === null
      ? [warning('settings', 'BASE_URL is not set', 'Set BASE_URL to the public URL: links are made with it.')]
      : []),
    ...(config.DATABASE_URL.dialect === 'sqlite' && missing.length > 0
      ? [
          warning(
            'settings',
            `ROLES is without ${missing.join(' and ')}, and an SQLite file has one node: nobody does that work`,
            'Leave ROLES out: by default a node has all roles.',
          ),
        ]
      : []),
    ...(isScripted
      ? [warning('settings', 'the scripted engine approves everything', 'Set ANALYSIS_ENGINE to local or http.')]
      : []),
  ])
}

async function isWholeModel(name: ModelFile): Promise<boolean> {
  try {
    await readPinnedFile(name)
    return true
  } catch {
    return false
  }
}

/** Compares the files of the models with their SHA-256. */
export async function checkModels(config: Config): Promise<readonly Finding[]> {
  if (!config.ROLES.includes('analysis')) return [ok('models', 'this node does not have the role analysis')]
  if (!Object.values(getEngineNames(config)).includes('local')) return [ok('models', 'the local engine is not used')]
  const names = Object.keys(modelFiles) as ModelFile[]
  const wrong: string[] = []
  for (const name of names) if (!(await isWholeModel(name))) wrong.push(name)
  return orOk(
    'models',
    `${names.length} files have the SHA-256 that they should have`,
    wrong.map(name => error('models', `${name} is missing or damaged`, 'Install again: npm ci --omit=dev.')),
  )
}

const gigabyte = 2 ** 30
const few = 5 * gigabyte
const hardlyAny = gigabyte / 2

/** The disk of the embedded database. A server's disk can't be seen from here. */
export async function checkDisk({ DATABASE_URL: address }: Config): Promise<readonly Finding[]> {
  if (address.dialect !== 'sqlite') return [ok('disk', 'the disk is the database server’s: watch it there')]
  const folder = dirname(address.file)
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const message = `${(free / gigabyte).toFixed(1)} GB are free at ${folder}`
  const remedy = 'Free some, or see docs/operate/full-disk.md. The service stops writing when nothing is left.'
  if (free < hardlyAny) return [error('disk', message, remedy)]
  return [free < few ? warning('disk', message, remedy) : ok('disk', message)]
}

const dayMs = 24 * 3_600_000
const noticeMs = 30 * dayMs

/** Checks the certificates of `WEBHOOK_CA_FILE` for their expiry. */
export function checkAuthorities({ WEBHOOK_CA_FILE: file }: Config, now: number): readonly Finding[] {
  if (file === null) return []
  const remedy = 'Put the renewed certificate into WEBHOOK_CA_FILE, and restart the nodes.'
  try {
    const texts = readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? []
    const ending = texts
      .map(text => new X509Certificate(text))
      .filter(({ validTo }) => Date.parse(validTo) < now + noticeMs)
      .map(({ subject, validTo }) => {
        const about = subject.replaceAll('\n', ', ')
        return Date.parse(validTo) < now
          ? error('certificates', `${about} ended on ${validTo}`, remedy)
          : warning('certificates', `${about} ends on ${validTo}`, remedy)
      })
    return orOk('certificates', `${texts.length} in WEBHOOK_CA_FILE are good for 30 days and more`, ending)
  } catch (thrown) {
    return [error('certificates', `WEBHOOK_CA_FILE: ${asError(thrown).message}`, remedy)]
  }
}

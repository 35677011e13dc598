import {
  type DevicePolicy,
  type Duplicates,
  defaultFraudPolicy,
  devicePolicyNames,
  type FraudPolicy,
  feedbackCatalogue,
  findAction,
  getIssueEntry,
  type IssueCode,
  issueCatalogue,
  type ReportedSignals,
} from '@attestor/rules'
import { applyDevicePolicy, applyFraudPolicy, buildMetadata } from '@attestor/rules/testing'
import { warningCatalogue } from '@attestor/vision'
import { secretSettings, settings } from '../src/config/settings.ts'
import { issueAdvice } from './issue_advice.ts'

function row(cells: readonly string[]): string {
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => '-')), ...rows.map(row)].join('\n')
}

/** A code span; nothing for an empty text. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``
}

export function settingsTable(): string {
  return table(
    ['Setting', 'Default', 'Meaning'],
    Object.entries(settings).map(([name, setting]) => [
      code(name),
      code('default' in setting ? setting.default : ''),
      secretSettings.includes(name) ? `${setting.description} *Secret.*` : setting.description,
    ]),
  )
}

function formatTypes(name: IssueCode): string {
  return getIssueEntry(name).types.join(' or ')
}

export function issuesTable(): string {
  return table(
    ['Code', 'Type', 'About', 'Message'],
    (Object.keys(issueCatalogue) as IssueCode[]).map(name => {
      const { types, section, message } = getIssueEntry(name)
      return [
        code(name),
        types.length > 1 ? `${formatTypes(name)}, as the policy says` : formatTypes(name),
        section,
        message,
      ]
    }),
  )
}

/** A table for each section, in the order in which issues are listed. */
export function issueGuide(): string {
  const sections = Map.groupBy(Object.keys(issueCatalogue) as IssueCode[], name => getIssueEntry(name).section)
  const toRow = (name: IssueCode): string[] => [
    code(name),
    getIssueEntry(name).types.length > 1 ? 'by policy' : formatTypes(name),
    `${getIssueEntry(name).message}. ${issueAdvice[name]}`.trimEnd(),
  ]
  return [...sections]
    .map(([section, names]) => {
      const title = `${section.charAt(0).toUpperCase()}${section.slice(1)}`
      return `\n## ${title}\n\n${table(['Code', 'Type', 'Meaning, what to do, `details`'], names.map(toRow))}\n`
    })
    .join('')
}

const ignored = Object.fromEntries(devicePolicyNames.map(name => [name, 'IGNORE']))

/** Signals that raise an issue under every policy. */
const alarming: ReportedSignals = {
  device: { root_detected: true, developer_mode_enabled: true, is_emulator: true, is_virtual_camera: true },
  network: { vpn_detected: true },
  geolocation: { latitude: 48.8566, longitude: 2.3522, is_mock_location: true },
  location_permission: 'granted',
  attested: {
    platform: 'android',
    security_level: 'TRUSTED_ENVIRONMENT',
    boot_state: 'UNVERIFIED',
    bootloader_locked: false,
    os_version: null,
    os_patch_level: null,
    apps: [],
    is_own_app: false,
    signed_captures: 'NONE',
  },
}

/** The issue that this policy alone raises for the signals. */
function findIssueCode(name: string, signals: ReportedSignals): IssueCode {
  const policy = { ...ignored, [name]: 'REJECT' } as unknown as DevicePolicy
  const metadata = buildMetadata(signals, { ip_address: '192.0.2.1', ip_country: 'SE' })
  const subject = { metadata, reported: signals.device ?? {}, permission: 'granted' } as const
  const [issue] = applyDevicePolicy(subject, policy).flatMap(({ issues }) => issues)
  if (issue === undefined) throw new Error(`${name} finds nothing`)
  return issue.code
}

export function devicePolicyTable(): string {
  return table(
    ['Member', 'Default', 'Issue', 'Where the signal is missing'],
    devicePolicyNames.map(name => {
      const found = findIssueCode(name, name === 'on_unattested_device' ? {} : alarming)
      const action = name === 'on_virtual_camera' ? 'see below' : code(findAction(name, {}))
      return [code(name), action, code(found), code(findIssueCode(name, {}))]
    }),
  )
}

function findFraudCode(name: string, duplicates: Duplicates): IssueCode {
  const all = Object.fromEntries(Object.keys(defaultFraudPolicy).map(other => [other, 'IGNORE']))
  const policy = { ...all, [name]: 'REJECT' } as unknown as FraudPolicy
  const [issue] = applyFraudPolicy(duplicates, 'DOCUMENT_AND_BIOMETRIC', policy).flatMap(({ issues }) => issues)
  if (issue === undefined) throw new Error(`${name} finds nothing`)
  return issue.code
}

export function fraudPolicyTable(): string {
  const shared = { customers: 1, transaction_ids: [] }
  const all: Duplicates = {
    document: { ...shared, transactions_24_hours: 1, transactions_30_days: 1 },
    images: shared,
    face: { ...shared, faces_searched: 1, limit: 0.3, nearest: 0.1 },
  }
  const none: Duplicates = { document: null, images: null, face: null }
  return table(
    ['Member', 'Default', 'Issue', 'Raised when', 'Where that could not be evaluated'],
    Object.entries(defaultFraudPolicy).map(([name, action]) => {
      const found = findFraudCode(name, all)
      const missing = findFraudCode(name, none)
      return [code(name), code(action), code(found), `${getIssueEntry(found).message}.`, code(missing)]
    }),
  )
}

export function warningsTable(): string {
  return table(
    ['Code', 'Advice'],
    Object.entries({ ...warningCatalogue, ...feedbackCatalogue }).map(([name, advice]) => [code(name), advice]),
  )
}

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { ApiError } from '../base/api_error.ts'
import { isoDate, isoTimestamp, toTimestamp } from '../base/clock.ts'
import type { Shell } from '../cli/command.ts'
import type { DoctorContext } from '../cli/doctor/database.ts'
import { type Finding, ok, warning } from '../cli/doctor/finding.ts'
import { commandLine } from '../identity/operators/audit.ts'
import { importTrust, type RefusedList, removeTrust, type TrustImport } from './import_trust.ts'
import { listStatesWithoutRoot, listTrustAnchors, type TrustAnchorView } from './trust_anchors.ts'

const reasons: Readonly<Record<RefusedList['reason'], string>> = {
  SIGNER_UNKNOWN: 'its root is not imported: import that first, from where you trust it',
  NOT_SIGNED: 'its signature is wrong',
  OUT_OF_TIME: 'its signer’s certificates were not valid when it was signed',
  NOT_EVALUABLE: 'its signature’s algorithm is not accepted',
}

function describeImport({ added, known, skipped, lists, unsigned_lists, refused_lists }: TrustImport): string {
  const counts = `${added.ROOT} roots, ${added.LINK} links, ${added.SIGNER} signers and ${added.REVOCATION_LIST} revocation lists`
  return [
    `Added ${counts}; ${known} were there already, ${skipped} cannot be used. ${lists} master lists were read.`,
    ...unsigned_lists.map(
      country =>
        `A revocation list of ${country || 'no country'} is signed by nobody who is imported: it revokes nothing until its signer is.`,
    ),
    ...refused_lists.map(
      list => `A master list of ${list.signer}, issued by ${list.issuer}, is refused: ${reasons[list.reason]}.`,
    ),
  ].join('\n')
}

function toJson({ imported_at, valid_until, ...anchor }: TrustAnchorView) {
  return { ...anchor, valid_until: toTimestamp(valid_until), imported_at: isoTimestamp(imported_at) }
}

function addCscaCommands(program: Command, { print, printDone, withDatabase }: Shell): void {
  const csca = program
    .command('csca')
    .description('import, list and remove the certificates of states that chips are verified by')
  csca
    .command('import')
    .description('import master lists (.ml), LDIF, and certificates or revocation lists (PEM or DER)')
    .argument('<file...>', 'files; a master list needs its signer’s root, imported before or with it')
    .option('--json', 'print JSON')
    .action((names: string[], options: { json?: true }) =>
      withDatabase(async context => {
        const files = await Promise.all(names.map(name => readFile(name)))
        const result = await importTrust(context, files, commandLine)
        printDone(options, describeImport(result), result)
        if (result.refused_lists.length > 0 && result.lists === 0)
          throw new ApiError('malformed_request', 'no master list was imported')
      }),
    )
  csca
    .command('list')
    .description('list the imported certificates and revocation lists, then the countries without a root')
    .option('--json', 'print JSON, a line each')
    .action((options: { json?: true }) =>
      withDatabase(async ({ store }) => {
        const anchors = await listTrustAnchors(store)
        for (const anchor of anchors) {
          const { country, kind, valid_until, subject, fingerprint } = anchor
          const until = valid_until === null ? '–' : isoTimestamp(valid_until).slice(0, 10)
          printDone(options, `${country}  ${kind}  until ${until}  ${fingerprint}  ${subject}`, toJson(anchor))
        }
        const roots = anchors.filter(({ kind }) => kind === 'ROOT')
        const without_root = listStatesWithoutRoot(roots.map(({ country }) => country))
        printDone(options, `Without a root: ${without_root.join(', ')}`, { without_root })
      }),
    )
  csca
    .command('remove')
    .description('remove one certificate or revocation list, or all of a country')
    .argument('<which>', 'fingerprint in hex, or two letters of a country')
    .option('--json', 'print JSON')
    .action((which: string, options: { json?: true }) =>
      withDatabase(async context => {
        const removed = await removeTrust(
          context,
          which.length === 2 ? { country: which } : { fingerprint: which },
          commandLine,
        )
        print(options.json === true ? JSON.stringify({ removed }) : `Removed ${removed}.`)
      }),
    )
}

const oldMs = 180 * 24 * 3_600_000

/**
 * Checks the age of the roots that chips are verified by. States issue new roots every few years, and new revocation lists
 * every 90 days.
 */
async function checkTrustAnchors({ store, clock }: DoctorContext): Promise<readonly Finding[]> {
  const anchors = await listTrustAnchors(store)
  if (anchors.length === 0) return [ok('csca', 'no certificates of states are imported: no chip can pass')]
  const now = clock.now()
  const imported = Math.max(...anchors.map(({ imported_at }) => imported_at))
  const states = new Set(anchors.filter(({ kind }) => kind === 'ROOT').map(({ country }) => country)).size
  const stale = anchors.filter(
    ({ kind, valid_until }) => kind === 'REVOCATION_LIST' && (valid_until ?? now) < now,
  ).length
  const message = `roots of ${states} states; the last import was on ${isoDate(imported)}`
  const remedy = 'Import newer lists: docs/operate/csca.md says where they come from.'
  return [
    now - imported > oldMs ? warning('csca', message, remedy) : ok('csca', message),
    ...(stale === 0 ? [] : [warning('csca', `${stale} revocation lists are out of date`, remedy)]),
  ]
}

export const chipCommands = { add: addCscaCommands, examine: checkTrustAnchors } as const

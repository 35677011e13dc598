import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { ApiError } from '../base/api_error.ts'
import { isoTimestamp, toTimestamp } from '../base/clock.ts'
import { commandLine } from '../identity/operators/audit.ts'
import { importTrust, type RefusedList, removeTrust, type TrustImport } from '../verification/chip/import_trust.ts'
import { listStatesWithoutRoot, listTrustAnchors, type TrustAnchorView } from '../verification/chip/trust_anchors.ts'
import type { Shell } from './command.ts'

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

export function addCscaCommands(program: Command, { print, printDone, withDatabase }: Shell): void {
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

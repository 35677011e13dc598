import type { WalletClaim } from '@attestor/rules'
import { type CborValue, embed } from '../encoding/cbor_writer.ts'
import { type CredentialKind, listKinds, nameAge, type WalletQuery } from './credential_kinds.ts'

/** One thing that is asked of a credential: where it is, and a name for it. */
interface AskedClaim {
  readonly id: string
  readonly path: readonly string[]
  readonly isAlways: boolean
}

function listAsked(kind: CredentialKind, { claims, age_over }: WalletQuery): readonly AskedClaim[] {
  if (age_over !== null) {
    const path = kind.namespace === null ? ['age_equal_or_over', `${age_over}`] : [kind.namespace, nameAge(age_over)]
    return [{ id: 'age', path, isAlways: true }]
  }
  return claims.flatMap(claim => {
    const name = kind.names[claim]
    if (name === undefined) return []
    const path = kind.namespace === null ? [name] : [kind.namespace, name]
    return [{ id: claim, path, isAlways: kind.always.includes(claim) }]
  })
}

/**
 * Sets of claims, the one that we like best first: all, those that every credential has with the portrait, and those alone. A
 * wallet that lacks one claim of a set must not answer by it (OpenID4VP 1.0, 6.4.1).
 */
function listSets(asked: readonly AskedClaim[]): readonly (readonly string[])[] {
  const idsOf = (fits: (claim: AskedClaim) => boolean): readonly string[] => asked.filter(fits).map(({ id }) => id)
  const portrait: WalletClaim = 'portrait'
  const sets = [
    idsOf(() => true),
    idsOf(({ id, isAlways }) => isAlways || id === portrait),
    idsOf(({ isAlways }) => isAlways),
  ]
  return sets.filter((set, at) => set.length > 0 && (at === 0 || set.length < (sets[at - 1]?.length ?? 0)))
}

/** A query of OpenID4VP 1.0 (6): any one of the kinds that can answer. */
export function toDcql(query: WalletQuery): object {
  const isRetained = query.age_over === null
  const credentials = listKinds(query).map(kind => {
    const asked = listAsked(kind, query)
    const sets = listSets(asked)
    const isMdoc = kind.format === 'MDOC'
    return {
      id: kind.id,
      format: isMdoc ? 'mso_mdoc' : 'dc+sd-jwt',
      meta: isMdoc ? { doctype_value: kind.type } : { vct_values: [kind.type] },
      claims: asked.map(({ id, path }) => ({ id, path, ...(isMdoc ? { intent_to_retain: isRetained } : {}) })),
      ...(sets.length > 1 ? { claim_sets: sets } : {}),
    }
  })
  const options = credentials.map(({ id }) => [id])
  return { credentials, ...(options.length > 1 ? { credential_sets: [{ options }] } : {}) }
}

/** An ItemsRequest of ISO/IEC 18013-5, 8.3.2.1.2.1, for each kind of mdoc that can answer, embedded as it is signed. */
export function listItemsRequests(query: WalletQuery): readonly CborValue[] {
  return listKinds(query)
    .filter(({ format }) => format === 'MDOC')
    .map(kind => {
      const isRetained = query.age_over === null
      const elements = new Map(listAsked(kind, query).map(({ path }) => [path.at(-1) ?? '', isRetained] as const))
      return embed(
        new Map<string, CborValue>([
          ['docType', kind.type],
          ['nameSpaces', new Map([[kind.namespace ?? '', elements]])],
        ]),
      )
    })
}

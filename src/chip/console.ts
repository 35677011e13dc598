import { isoTimestamp, toTimestamp } from '../base/clock.ts'
import { consoleApi, forOperators } from '../console/endpoint.ts'
import { defineUndocumented } from '../http/endpoint.ts'
import { listStatesWithoutRoot, summariseTrustAnchors } from './trust_anchors.ts'

/** The certificates of states that chips are verified by, by country, and the countries without a root. */
export const listTrustAnchors = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path: `${consoleApi}/trust-anchor`,
  async handler(_call, { accounts: { store } }) {
    const states = await summariseTrustAnchors(store)
    const data = states.map(({ country, counts, valid_until, imported_at }) => ({
      country,
      roots: counts.ROOT,
      links: counts.LINK,
      signers: counts.SIGNER,
      revocation_lists: counts.REVOCATION_LIST,
      valid_until: toTimestamp(valid_until),
      imported_at: isoTimestamp(imported_at),
    }))
    const roots = states.filter(({ counts }) => counts.ROOT > 0)
    const without_root = [...listStatesWithoutRoot(roots.map(({ country }) => country))]
    return { status: 200, body: { data, without_root } }
  },
})

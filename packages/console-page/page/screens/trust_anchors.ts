import { get, serviceUrl } from '../api.ts'
import { el } from '../dom.ts'
import { heading, section, teach } from '../parts/notice.ts'
import { table } from '../parts/table.ts'
import { time } from '../parts/text.ts'
import type { ScreenContext } from '../screen.ts'
import type { TrustAnchors } from '../shapes.ts'

const names = new Intl.DisplayNames('en', { type: 'region' })

/** Certificates name states that no list of countries has, such as that of the United Nations. */
function nameCountry(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? `${code} ${names.of(code) ?? ''}` : code
}

function states({ data }: TrustAnchors): HTMLElement {
  return table(data, {
    caption: 'States whose certificates are imported',
    columns: [
      { name: 'State', cell: ({ country }) => nameCountry(country) },
      { name: 'Roots', cell: ({ roots }) => roots, isNumber: true },
      { name: 'Links', cell: ({ links }) => links, isNumber: true },
      { name: 'Signers', cell: ({ signers }) => signers, isNumber: true },
      { name: 'Revocation lists', cell: ({ revocation_lists }) => revocation_lists, isNumber: true },
      { name: 'Last root ends', cell: ({ valid_until }) => time(valid_until) },
      { name: 'Last import', cell: ({ imported_at }) => time(imported_at) },
    ],
    empty: teach(
      'Nothing is imported yet, so no chip can pass.',
      ['Get a master list of the states that you expect, then ', el('code', {}, 'attestor csca import FILE'), '.'],
      el('a', { href: serviceUrl('guides/operate/csca') }, 'Where master lists come from'),
    ),
  })
}

/** Shows the roots that chips are verified by: of which states, how old, and which states have none. */
export async function showTrustAnchors({ show, signal }: ScreenContext): Promise<void> {
  const anchors = await get<TrustAnchors>('/trust-anchor', {}, signal)
  const { without_root } = anchors
  show(
    heading('Trust anchors'),
    el(
      'p',
      { class: 'soft' },
      'Certificates of states that chips are verified by. Import them with ',
      el('code', {}, 'attestor csca import'),
      '.',
    ),
    section('States', states(anchors)),
    section(
      `${without_root.length} without a root`,
      el('p', {}, 'Their chips are ', el('code', {}, 'CHIP_ISSUER_UNKNOWN'), '.'),
      el(
        'details',
        {},
        el('summary', {}, 'Which'),
        el(
          'ul',
          { class: 'countries' },
          without_root.map(code => el('li', {}, nameCountry(code))),
        ),
      ),
    ),
  )
}

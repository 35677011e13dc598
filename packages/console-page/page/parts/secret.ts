import { type Child, el, svg } from '../dom.ts'
import type { OperatorCredentials } from '../shapes.ts'
import { openDialog } from './dialog.ts'
import { button, buttons } from './form.ts'
import { notice } from './notice.ts'
import { facts, wholeId } from './text.ts'

/** Shows a secret that is never shown again. */
export function showSecret(title: string, ...content: readonly Child[]): void {
  const close = button('I have kept it', () => dialog.close(), { kind: 'primary' })
  const dialog = openDialog(title, notice('This is shown once. Keep it now.'), content, buttons(close))
}

const quietZone = 4

/** A QR code, dark on light also on a dark page. */
export function qrCode(rows: OperatorCredentials['totp_qr'], label: string): SVGSVGElement {
  const size = rows.length + 2 * quietZone
  const path = rows
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + quietZone} ${y + quietZone}h1v1h-1z` : '')))
    .join('')
  return svg(
    'svg',
    { class: 'qr', viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': label },
    svg('rect', { width: size, height: size, fill: '#fff' }),
    svg('path', { d: path, fill: '#000', 'shape-rendering': 'crispEdges' }),
  )
}

/** Shows the credentials of a new operator, or of one that was reset. */
export function showCredentials(given: OperatorCredentials): void {
  showSecret(
    `Log-in of ${given.name}`,
    el(
      'p',
      {},
      'Hand these to the person over a safe channel. The authenticator app reads the code below, or takes the secret by hand.',
    ),
    facts([
      ['Password', wholeId(given.password, 'password')],
      ['Secret of the one-time codes', wholeId(given.totp_secret, 'secret')],
    ]),
    qrCode(given.totp_qr, 'QR code for an authenticator app'),
  )
}

import { change } from '../api.ts'
import { el } from '../dom.ts'
import { toned } from '../parts/badges.ts'
import { ask } from '../parts/dialog.ts'
import { button } from '../parts/form.ts'
import { heading } from '../parts/notice.ts'
import { reloadingTable } from '../parts/reload.ts'
import { networkAddress, time } from '../parts/text.ts'
import type { ScreenContext } from '../screen.ts'
import type { Session } from '../shapes.ts'
import { word } from '../words.ts'

function revoke({ session_id, name, is_current }: Session, onDone: () => void): void {
  ask({
    title: is_current ? 'End this session of yours?' : `End this session of ${name}?`,
    text: is_current ? 'You are logged out at once.' : 'Its user is logged out at once.',
    button: 'End the session',
    isDanger: true,
    act: () => change('POST', `/session/${session_id}/revoke`, {}).then(onDone),
    done: 'The session has ended',
  })
}

/** The first that is found counts: others also carry the names of those that they are like. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/\bWindows\b/, 'Windows'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/** "Chrome on Linux"; what names neither stays as it is. */
function nameBrowser(agent: string): string {
  const [browser, system] = [browsers, systems].map(known => known.find(([sign]) => sign.test(agent))?.[1])
  return browser === undefined || system === undefined ? agent : `${browser} on ${system}`
}

/** One's own open sessions; an admin sees everybody's. */
export async function showSessions({ show, signal, may }: ScreenContext): Promise<void> {
  const again = (): void => void list.reload()
  const list = reloadingTable<Session>('/session', signal, {
    caption: 'Open sessions',
    columns: [
      { name: 'Operator', cell: ({ name, is_current }) => [name, ' ', is_current && toned('busy', 'This one')] },
      { name: 'Role', cell: ({ role }) => el('span', { class: 'nowrap' }, word('role', role)) },
      { name: 'Address', cell: ({ address }) => networkAddress(address) },
      {
        name: 'Browser',
        cell: ({ user_agent }) => el('span', { class: 'agent', title: user_agent }, nameBrowser(user_agent)),
      },
      { name: 'Last seen', cell: ({ last_seen_at }) => time(last_seen_at) },
      { name: 'Ends', cell: ({ expires_at }) => time(expires_at) },
      {
        name: '',
        cell: session =>
          button('End', () => revoke(session, again), {
            kind: 'danger',
            label: `End the session of ${session.name}`,
          }),
      },
    ],
    empty: 'No open session.',
  })
  const meaning = may('admin') ? 'Everybody’s open sessions.' : 'Your open sessions.'
  show(heading('Sessions'), el('p', { class: 'soft' }, meaning), list.element)
  await list.reload()
}

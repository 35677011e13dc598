import { includesRole } from '../../../src/identity/operators/roles.ts'
import { change, screenPath } from './api.ts'
import { el, fill } from './dom.ts'
import { icon } from './icons.ts'
import { showShortcuts } from './keyboard.ts'
import type { LiveState } from './live.ts'
import { finishPending } from './parts/undo.ts'
import { type Route, routes } from './routes.ts'
import type { Me } from './shapes.ts'
import { word } from './words.ts'

/** The frame around the screens. */
export interface Shell {
  readonly main: HTMLElement
  readonly setLive: (state: LiveState) => void
  readonly setCurrent: (route: Route | null) => void
}

const liveWords: Readonly<Record<LiveState, string>> = {
  connecting: 'Connecting …',
  live: 'Live',
  away: 'Not live: reconnecting …',
}

function createLink({ path, title, entry }: Route): HTMLElement {
  return el('a', { href: screenPath(path), 'data-path': path }, entry && icon(entry.icon), title)
}

function navigation(me: Me): HTMLElement {
  const shown = routes.filter(({ entry, role }) => entry !== null && includesRole(me.role, role))
  const groups = [...new Set(shown.map(({ entry }) => entry?.group))]
  return el(
    'nav',
    { id: 'navigation', 'aria-label': 'Screens' },
    groups.map(group => [
      el('p', {}, group),
      el(
        'ul',
        {},
        shown.filter(({ entry }) => entry?.group === group).map(route => el('li', {}, createLink(route))),
      ),
    ]),
  )
}

async function logOut(onLogOut: () => void): Promise<void> {
  await finishPending()
  await change('POST', '/logout', {})
  onLogOut()
}

function person({ name, role }: Me, onLogOut: () => void): HTMLElement {
  return el(
    'div',
    { class: 'person' },
    el('p', {}, el('b', {}, name), el('span', { class: 'soft' }, word('role', role))),
    el(
      'button',
      { type: 'button', title: 'Shortcuts (?)', 'aria-label': 'Keyboard shortcuts', onclick: showShortcuts },
      '?',
    ),
    el('button', { type: 'button', onclick: () => void logOut(onLogOut) }, 'Log out'),
  )
}

/** Builds the frame around the screens. */
export function showShell(me: Me, onLogOut: () => void): Shell {
  const live = el('p', { id: 'live', class: 'connecting', role: 'status' }, liveWords.connecting)
  const main = el('main', { id: 'main' })
  const nav = navigation(me)
  const menu = el(
    'button',
    { type: 'button', id: 'menu', 'aria-expanded': 'false', 'aria-controls': 'navigation', 'aria-label': 'Menu' },
    icon('menu'),
  )
  const setOpen = (isOpen: boolean): void => {
    menu.setAttribute('aria-expanded', String(isOpen))
    nav.classList.toggle('open', isOpen)
  }
  menu.addEventListener('click', () => setOpen(menu.getAttribute('aria-expanded') === 'false'))
  const bar = el(
    'header',
    { id: 'bar' },
    menu,
    el('a', { class: 'brand', href: screenPath('/') }, 'Attestor'),
    live,
    person(me, onLogOut),
  )
  const app = document.querySelector('#app')
  app?.classList.add('framed')
  if (app !== null) fill(app, el('a', { class: 'skip', href: '#main' }, 'Skip to the content'), bar, nav, main)
  return {
    main,
    setLive(state) {
      if (live.className === state) return
      live.className = state
      fill(live, liveWords[state])
    },
    setCurrent(route) {
      setOpen(false)
      const section = route?.path.replace('/:', '').replace('/transactions', '/') ?? ''
      for (const link of nav.querySelectorAll('a'))
        if (link.dataset.path === section) link.setAttribute('aria-current', 'page')
        else link.removeAttribute('aria-current')
    },
  }
}

import { includesRole } from '../../../src/identity/operators/roles.ts'
import { ApiProblem, get, pathOfScreen, screenPath, setSessionEnd } from './api.ts'
import { fill } from './dom.ts'
import { addShortcut, startShortcuts } from './keyboard.ts'
import { startLive, stopLive } from './live.ts'
import { heading, loading, notice, problem } from './parts/notice.ts'
import { findRoute, routes } from './routes.ts'
import type { ScreenContext } from './screen.ts'
import { showSignIn } from './screens/sign_in.ts'
import type { Me } from './shapes.ts'
import { type Shell, showShell } from './shell.ts'

let me: Me | null = null
let shell: Shell | null = null
let leaving = new AbortController()
let session = new AbortController()

function setTitle(title: string): void {
  document.title = `${title} · Attestor`
}

/** Another screen is there: the focus goes to its heading, which a screen reader then reads. */
function focusHeading(main: HTMLElement): void {
  main.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
}

function createContext(by: Me, main: HTMLElement, params: readonly string[]): ScreenContext {
  const { signal } = leaving
  let isFirst = true
  return {
    me: by,
    params,
    signal,
    setTitle,
    query: new URLSearchParams(location.search),
    show(...content) {
      if (signal.aborted) return
      fill(main, content)
      if (isFirst) focusHeading(main)
      isFirst = false
    },
    may: role => includesRole(by.role, role),
    go,
    setQuery(query) {
      const search = query.size === 0 ? '' : `?${query}`
      if (search !== location.search) history.pushState(null, '', location.pathname + search)
    },
  }
}

function showFailure(main: HTMLElement, error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return
  if (!(error instanceof ApiProblem)) throw error
  if (error.code === 'invalid_token') return
  if (error.status === 404)
    fill(main, heading('Not found'), notice('There is nothing under this address any more, or never was.'))
  else fill(main, heading('This did not work'), problem(error, showScreen))
  focusHeading(main)
}

function showScreen(): void {
  leaving.abort()
  leaving = new AbortController()
  if (me === null || shell === null) return
  const { main } = shell
  const found = findRoute(pathOfScreen(location.pathname) ?? '')
  const { signal } = leaving
  shell.setCurrent(found?.route ?? null)
  if (found === null || !includesRole(me.role, found.route.role)) {
    setTitle('Not found')
    fill(main, heading('Not found'), notice('There is no such screen, or your role does not open it.'))
    focusHeading(main)
    return
  }
  setTitle(found.route.title)
  fill(main, heading(found.route.title), loading())
  const screen = async () => found.route.screen(createContext(me as Me, main, found.params))
  screen().catch((error: unknown) => {
    if (!signal.aborted) showFailure(main, error)
  })
}

function go(path: string): void {
  history.pushState(null, '', screenPath(path))
  scrollTo(0, 0)
  showScreen()
}

/** Links inside the console open screens without loading the page again. */
function onClick(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || event.defaultPrevented || event.button !== 0) return
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.shiftKey ||
    event.altKey ||
    link.target !== '' ||
    link.hasAttribute('download')
  )
    return
  if (link.getAttribute('href')?.startsWith('#') || link.origin !== location.origin) return
  const path = pathOfScreen(link.pathname)
  if (path === null || path.startsWith('/api/')) return
  event.preventDefault()
  go(path + link.search)
}

function begin(by: Me): void {
  me = by
  session = new AbortController()
  shell = showShell(by, () => signOut(false))
  startLive(state => shell?.setLive(state))
  for (const { entry, title, path, role } of routes)
    if (entry !== null && includesRole(by.role, role))
      addShortcut(`g ${entry.key}`, `Go to ${title}`, () => go(path), session.signal)
  showScreen()
}

function signOut(hasEnded: boolean): void {
  leaving.abort()
  session.abort()
  stopLive()
  me = null
  shell = null
  for (const dialog of document.querySelectorAll('dialog')) dialog.close()
  setTitle('Log in')
  showSignIn(hasEnded, begin)
}

async function start(): Promise<void> {
  setSessionEnd(() => signOut(me !== null))
  startShortcuts()
  addEventListener('popstate', showScreen)
  document.addEventListener('click', onClick)
  await get<Me>('/me').then(begin, (error: unknown) => {
    if (!(error instanceof ApiProblem)) throw error
    if (error.code === 'invalid_token') return
    const app = document.querySelector('#app')
    if (app !== null)
      fill(
        app,
        problem(error, () => location.reload()),
      )
  })
}

await start()

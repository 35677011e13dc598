import type { Child } from './dom.ts'
import type { Me, Role } from './shapes.ts'

/** The place in which a screen is shown, and the operator who sees it. */
export interface ScreenContext {
  readonly me: Me
  /** The values of the route's parameters. */
  readonly params: readonly string[]
  readonly query: URLSearchParams
  /** Aborted when another screen is opened. */
  readonly signal: AbortSignal
  /** Shows the screen's content. */
  readonly show: (...content: readonly Child[]) => void
  readonly setTitle: (title: string) => void
  readonly may: (role: Role) => boolean
  /** Opens another screen. */
  readonly go: (path: string) => void
  /** Changes the address of this screen without opening it again. */
  readonly setQuery: (query: URLSearchParams) => void
}

export type Screen = (context: ScreenContext) => void | Promise<void>

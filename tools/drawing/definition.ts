/** The part of a chart's definition that the drawing reads. */
export interface ChartDefinition extends StateDefinition {
  readonly id?: string
}

/** One state of a definition, with its states inside. */
export interface StateDefinition {
  readonly id?: string
  readonly type?: 'atomic' | 'compound' | 'parallel' | 'final' | 'history'
  readonly description?: string
  readonly tags?: string | readonly string[]
  readonly initial?: string | { readonly target: string }
  readonly entry?: OneOrMany<NamedDefinition>
  readonly exit?: OneOrMany<NamedDefinition>
  readonly invoke?: OneOrMany<InvokeDefinition>
  readonly always?: TransitionsDefinition
  readonly onDone?: TransitionsDefinition
  readonly on?: Readonly<Record<string, TransitionsDefinition>>
  readonly after?: Readonly<Record<string, TransitionsDefinition>>
  readonly states?: Readonly<Record<string, StateDefinition>>
}

/** A guard or an action: its name, with its parameters if they are values. */
export type NamedDefinition = string | { readonly type: string; readonly params?: unknown }

/** A job that runs while its state is active. */
interface InvokeDefinition {
  readonly id?: string
  readonly src?: unknown
  readonly onDone?: TransitionsDefinition
  readonly onError?: TransitionsDefinition
}

/** One candidate of an event. Without a target it stays where it is. */
export interface TransitionDefinition {
  readonly target?: string | readonly string[]
  readonly guard?: NamedDefinition
  readonly actions?: OneOrMany<NamedDefinition>
  readonly reenter?: boolean
  readonly description?: string
}

/** The candidates of an event, in the order in which they are tried. */
export type TransitionsDefinition = OneOrMany<string | TransitionDefinition>

/** A list, of which XState accepts a single element as itself. */
export type OneOrMany<T> = T | readonly T[]

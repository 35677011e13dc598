import type { ChartGraph, ChartState, ChartTransition } from './graph.ts'

/** A line of a drawing, with the style class that draws it. */
export interface TextLine {
  readonly text: string
  readonly style: 'name' | 'prose' | 'event' | 'guard' | 'action' | 'note'
}

/** Distance between a state's border and its text. */
export const padding = 10

/** Approximate number of characters in a line of a description. */
const descriptionColumns = { leaf: 26, group: 44 }

/** Font sizes in pixels, by style. Names of code are set in a fixed pitch, so that their width is known everywhere. */
export const fontSizes: Readonly<Record<TextLine['style'], number>> = {
  name: 13,
  prose: 12,
  event: 12,
  guard: 12,
  action: 12,
  note: 12,
}

/** A fixed pitch is 0.6 em in nearly every such font; a proportional one stays below this even when it is wide. */
const emPerCharacter = { fixed: 0.605, proportional: 0.6 }

const lineHeight = 1.35

/** Returns the width of a line in pixels, never less than the line takes. */
function computeWidth({ text, style }: TextLine): number {
  return text.length * fontSizes[style] * (style === 'prose' ? emPerCharacter.proportional : emPerCharacter.fixed)
}

/** The height of a line in pixels. */
export function computeHeight({ style }: TextLine): number {
  return fontSizes[style] * lineHeight
}

/** The size of lines below each other. */
export function computeSize(lines: readonly TextLine[]): { readonly width: number; readonly height: number } {
  return {
    width: Math.ceil(Math.max(0, ...lines.map(computeWidth))),
    height: Math.ceil(lines.reduce((sum, line) => sum + computeHeight(line), 0)),
  }
}

/** Words in lines of at most `columns` characters; a longer word has a line of its own. */
function wrap(text: string, columns: number): readonly string[] {
  return text.match(new RegExp(`\\S.{0,${columns - 1}}(?=\\s|$)|\\S+`, 'g')) ?? []
}

const triggers: Readonly<Record<ChartTransition['trigger'], (name: string) => string>> = {
  event: name => name,
  after: name => `after ${name}`,
  always: () => 'always',
  done: name => `${name} done`,
  error: name => `${name} failed`,
}

/** `after TTL`, `analysis done`, `COMPLETE`. */
function triggerText({ trigger, name }: ChartTransition): string {
  return triggers[trigger](name)
}

/** Returns a transition's guard in its written form: `[everyStepIsTaken]`, `[else]`; empty if there is none. */
export function guardText({ guard, otherwise }: ChartTransition): string {
  return guard === null ? (otherwise ? '[else]' : '') : `[${guard}]`
}

/** A transition in one line: `COMPLETE [everyStepIsTaken] / notify(COMPLETED)`. */
export function transitionText(transition: ChartTransition): string {
  const actions = transition.actions.join(', ')
  return [triggerText(transition), guardText(transition), actions && `/ ${actions}`]
    .filter(part => part !== '')
    .join(' ')
}

/** A transition as its label, a line for each part. */
export function transitionLines(transition: ChartTransition): readonly TextLine[] {
  const guard = guardText(transition)
  return [
    { text: triggerText(transition), style: 'event' },
    ...(guard === '' ? [] : [{ text: guard, style: 'guard' } as const]),
    ...transition.actions.map(action => ({ text: `/ ${action}`, style: 'action' }) as const),
    ...(transition.note === undefined ? [] : [{ text: transition.note, style: 'note' } as const]),
  ]
}

/** The transitions of a state that leave nothing: they are listed inside its box. */
export function internalTransitions(graph: ChartGraph, state: ChartState): readonly ChartTransition[] {
  return graph.transitions.filter(({ internal, source }) => internal && source === state.path)
}

function countColumns({ states }: ChartState): number {
  return states.length > 0 ? descriptionColumns.group : descriptionColumns.leaf
}

/** Returns the text of a state: its name, its meaning, and its actions on entry, on exit and meanwhile. */
export function stateText(state: ChartState): readonly TextLine[] {
  return [
    { text: state.key, style: 'name' },
    ...(state.description === null ? [] : wrap(state.description, countColumns(state))).map(
      text => ({ text, style: 'prose' }) as const,
    ),
    ...state.entry.map(text => ({ text: `entry / ${text}`, style: 'action' }) as const),
    ...state.exit.map(text => ({ text: `exit / ${text}`, style: 'action' }) as const),
    ...state.invokes.map(text => ({ text: `job / ${text}`, style: 'action' }) as const),
  ]
}

/** A colour by day and by night. */
type Colours = readonly [light: string, dark: string]

const ink: Colours = ['#1f2328', '#e6edf3']
const soft: Colours = ['#59636e', '#9198a1']
const line: Colours = ['#818b98', '#6e7681']
const paper: Colours = ['#ffffff', '#0d1117']
const box: Colours = ['#f6f8fa', '#161b22']
const status: Colours = ['#ddf4ff', '#0f2a45']
const statusLine: Colours = ['#0969da', '#4493f8']
const lit: Colours = ['#fff8c5', '#4b3900']
const litLine: Colours = ['#bf8700', '#e3b341']
const guard: Colours = ['#8250df', '#ab7df8']
const action: Colours = ['#1a7f37', '#3fb950']

const rules: readonly (readonly [selector: string, property: string, colours: Colours])[] = [
  ['.paper', 'fill', paper],
  ['.state>rect', 'fill', box],
  ['.state>rect', 'stroke', line],
  ['.status>rect', 'fill', status],
  ['.status>rect', 'stroke', statusLine],
  ['.group>rect', 'fill', paper],
  ['.active>rect', 'fill', lit],
  ['.active>rect', 'stroke', litLine],
  ['.dot', 'fill', ink],
  ['.edge', 'stroke', line],
  ['.head', 'fill', line],
  ['.label', 'fill', paper],
  ['.taken .edge', 'stroke', litLine],
  ['text', 'fill', ink],
  ['.prose', 'fill', soft],
  ['.guard', 'fill', guard],
  ['.action', 'fill', action],
]

function coloured(index: 0 | 1): string {
  return rules.map(([selector, property, colours]) => `.chart ${selector}{${property}:${colours[index]}}`).join('')
}

const shapes = [
  '.chart text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace}',
  '.chart .prose{font-family:system-ui,"Segoe UI",Helvetica,Arial,sans-serif}',
  '.chart .name,.chart .event,.chart .note{font-weight:600}',
  '.chart .edge{fill:none;stroke-width:1.2}',
  '.chart .taken .edge{stroke-width:2.4}',
  '.chart .state>rect{stroke-width:1.2}',
  '.chart .status>rect,.chart .active>rect{stroke-width:2}',
  '.chart .region>rect,.chart .group>rect{stroke-dasharray:5 4}',
].join('')

/** The style of every drawing. A viewer lights a state with the class `active` and a transition with `taken`. */
export const chartStyle = `${shapes}${coloured(0)}@media(prefers-color-scheme:dark){${coloured(1)}}`

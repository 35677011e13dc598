import { svg } from './dom.ts'

/** Drawn on 16 by 16, in the colour of the text. */
const paths = {
  search: 'M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2ZM11 11l3.5 3.5',
  check: 'M3 8.5l3.2 3.2L13 5',
  cross: 'M4 4l8 8M12 4l-8 8',
  question: 'M5.6 6a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.9M8 12.6v.1',
  dash: 'M4 8h8',
  warn: 'M8 2.5 14.5 13.5h-13ZM8 6.5v3.2M8 11.6v.1',
  copy: 'M5.5 5.5h8v8h-8ZM3.5 10.5h-1v-8h8v1',
  menu: 'M2 4h12M2 8h12M2 12h12',
  download: 'M8 2v8M4.5 6.5 8 10l3.5-3.5M2.5 13.5h11',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4',
  list: 'M2 4h12M2 8h12M2 12h8',
  inbox: 'M2 9.5 4 3h8l2 6.5v3.5H2ZM2 9.5h3.5l1 1.5h3l1-1.5H14',
  person: 'M8 2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM2.5 14c.5-3 2.700-4.500 5.500-4.500s5 1.500 5.500 4.500',
  building: 'M3 14V2.500h7V14M10 6h3v8M1.500 14h13M5.500 5.500h2M5.500 8.500h2M5.500 11.500h2',
  key: 'M5 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM7.200 8 13.500 1.700M11 4.200l2 2',
  send: 'M14 2 1.500 7l4.500 2L14 2ZM14 2 9 14.500 6 9',
  chart: 'M5 2h6v3.5H5ZM1.5 10.5h5V14h-5ZM9.500 10.500h5V14h-5ZM8 5.500v2.500M4 10.500V8h8v2.500',
  bars: 'M2 14V8.500h3V14M6.500 14V2h3v12M11 14V5.500h3V14M1 14h14',
  chip: 'M4 4h8v8H4ZM6.500 6.500h3v3h-3ZM6 4V1.500M10 4V1.500M6 14.500V12M10 14.500V12M1.500 6H4M1.500 10H4M12 6h2.500M12 10h2.500',
  pulse: 'M1 8h3l2-5 3.500 10 2-5H15',
  shield: 'M8 1.500 13.500 3.500v4c0 3.500-2.300 5.800-5.500 7-3.200-1.200-5.500-3.500-5.500-7v-4Z',
  book: 'M3 2.500h8.500a1.500 1.500 0 0 1 1.500 1.500v9.500H4.500A1.500 1.500 0 0 1 3 12ZM3 12a1.500 1.500 0 0 1 1.500-1.500H13',
  out: 'M6 2.500H2.500v11H6M9.500 5l3 3-3 3M12.500 8H6',
} as const

export type IconName = keyof typeof paths

/** A picture beside words that say the same. */
export function icon(name: IconName): SVGSVGElement {
  return svg('svg', { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' }, svg('path', { d: paths[name] }))
}

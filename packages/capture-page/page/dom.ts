type Attribute = string | number | boolean | null | ((event: Event) => void)
export type Child = Node | string | null

function setAttribute(element: Element, name: string, value: Attribute): void {
  if (value === null || value === false) return
  if (typeof value === 'function') element.addEventListener(name, value)
  else element.setAttribute(name, value === true ? '' : String(value))
}

/** An element with its attributes and children. A function listens to the event of its name. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value)
  element.append(...children.filter(child => child !== null))
  return element
}

const svg = 'http://www.w3.org/2000/svg'

/** An element of SVG with its attributes and children. */
export function svgEl(
  tag: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Node[]
): Element {
  const element = document.createElementNS(svg, tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

/** The element of the page's HTML with this id. @throws {Error} where there is none */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`#${id} is missing`)
  return element
}

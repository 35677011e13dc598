/** The possible content of an element. Texts stay texts: nothing here parses HTML. */
export type Child = Node | string | number | null | undefined | false | readonly Child[]

type Value = string | number | boolean | null | undefined

/** Attributes by name (`true` is an empty one, `false` and null none), and listeners as `onclick`. */
export type Attributes = Readonly<Record<string, Value | ((event: Event) => void)>>

function setAll(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : String(value))
  }
}

/** Embeddings, overrides and isolates (Unicode annex 9): a name with one turns the words around it, so each is shown as its code. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g

function showDirections(text: string): string {
  return text.replace(directions, sign => `\\u${sign.charCodeAt(0).toString(16)}`)
}

function toNodes(child: Child): readonly (Node | string)[] {
  if (child === null || child === undefined || child === false) return []
  if (typeof child === 'object' && !(child instanceof Node)) return child.flatMap(toNodes)
  return [child instanceof Node ? child : showDirections(String(child))]
}

/** An element with attributes and children: `el('p', { class: 'soft' }, 'Hello')`. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  setAll(element, attributes)
  element.append(...toNodes(children))
  return element
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  setAll(element, attributes)
  element.append(...toNodes(children))
  return element
}

/** Replaces an element's children. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...toNodes(children))
}

let ids = 0

/** An id that no other element of the page has. */
export function newId(name: string): string {
  return `${name}-${++ids}`
}

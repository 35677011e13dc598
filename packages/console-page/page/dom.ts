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

/** Elements that are changed within; others are replaced, as is one of `data-whole`. */
const vessels = new Set('div dl dt dd ul ol li p span section table tbody tr th td details summary'.split(' '))

function isSameVessel(old: Node, next: Node): old is Element {
  if (!(old instanceof Element) || !vessels.has(old.localName) || old.hasAttribute('data-whole')) return false
  return old.cloneNode().isEqualNode(next.cloneNode())
}

/** Puts a node in another's place. A button that only looks otherwise than before keeps the focus. */
function replace(old: ChildNode, next: Node): void {
  const isFocused = old === document.activeElement && old.textContent === next.textContent
  old.replaceWith(next)
  if (isFocused && next instanceof HTMLElement) next.focus({ preventScroll: true })
}

/**
 * Gives an element these children, as `fill` does, but what looks the same stays: no focus, selection or press is lost. So a
 * listener must act on what its element shows; where it acts on elements beside its own, the element around them is
 * `data-whole`.
 */
export function renew(element: Element, ...children: readonly Child[]): void {
  const old = [...element.childNodes]
  const fresh = toNodes(children).map(one => (one instanceof Node ? one : document.createTextNode(one)))
  for (const [index, next] of fresh.entries()) {
    const before = old[index]
    if (before === undefined) element.append(next)
    else if (isSameVessel(before, next)) renew(before, ...next.childNodes)
    else if (!before.isEqualNode(next)) replace(before, next)
  }
  for (const rest of old.slice(fresh.length)) rest.remove()
}

/** Makes these the children from `place` on, moving only those that are elsewhere. */
export function arrange(parent: Element, children: readonly Element[], first: Element | null): void {
  let place = first
  for (const child of children)
    if (child === place) place = place.nextElementSibling
    else parent.insertBefore(child, place)
}

let ids = 0

/** An id that no other element of the page has. */
export function newId(name: string): string {
  return `${name}-${++ids}`
}

/** An element that every page has. */
export function find<T extends Element>(selector: string, type: new () => T): T {
  const found = document.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`there is no ${selector}`)
  return found
}

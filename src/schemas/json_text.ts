/** The JSON of a `T`. What was stored as JSON is sent as it is, not parsed and serialised again. */
export class JsonText<T> {
  readonly text: string
  /** Only carries the type; it is never set. */
  readonly parsed?: T

  constructor(text: string) {
    this.text = text
  }
}

/** Adds a member at the end of an object that has others. */
export function appendMember(object: object, name: string, value: JsonText<unknown>): string {
  return `${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:${value.text}}`
}

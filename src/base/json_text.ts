/** JSON of a `T` that is already written. What was stored as JSON is sent as it is, not parsed and written again. */
export class JsonText<T> {
  readonly text: string
  /** The type that parsing would give; nothing is there. */
  readonly parsed?: T

  constructor(text: string) {
    this.text = text
  }
}

/** Adds a member at the end of an object that has others. */
export const appendMember = (object: object, name: string, value: JsonText<unknown>): string =>
  `${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:${value.text}}`

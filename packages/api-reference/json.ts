function flat(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ').replaceAll('[ ', '[').replaceAll(' ]', ']')
}

/** Formats JSON for people: a value that fits is on one line. */
export function formatJson(value: unknown, width = 64, indent = 0, used = 0): string {
  const line = flat(value)
  if (typeof value !== 'object' || value === null || indent + used + line.length <= width) return line
  const pad = ' '.repeat(indent + 2)
  const lines = Array.isArray(value)
    ? value.map(one => `${pad}${formatJson(one, width, indent + 2)}`)
    : Object.entries(value).map(([key, one]) => {
        const name = `${JSON.stringify(key)}: `
        return `${pad}${name}${formatJson(one, width, indent + 2, name.length)}`
      })
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${lines.join(',\n')}\n${' '.repeat(indent)}${close}`
}

/** The example of a README and its output; null where it has none. */
export function readExample(text: string): { readonly code: string; readonly output: string } | null {
  const [, code, output] =
    /## Example\n\n```ts\n([\s\S]*?)```\n\nIt prints\n\n```text\n([\s\S]*?)```\n/.exec(text) ?? []
  return code === undefined || output === undefined ? null : { code, output }
}

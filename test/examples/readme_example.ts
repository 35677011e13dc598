export interface ReadmeExample {
  readonly code: string
  readonly output: string
}

/** Lists the examples of a README, and the output of each. */
export function listExamples(text: string): readonly ReadmeExample[] {
  const found = text.matchAll(/```ts\n([^`]*(?:`(?!``)[^`]*)*)```\n\nIt prints\n\n```text\n([\s\S]*?)```\n/g)
  return [...found].map(([, code = '', output = '']) => ({ code, output }))
}

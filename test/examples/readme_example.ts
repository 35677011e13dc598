export interface ReadmeExample {
  readonly code: string
  readonly output: string
}

/** The examples of a README, and what each prints. */
export function listExamples(text: string): readonly ReadmeExample[] {
  const found = text.matchAll(/```ts\n([^`]*(?:`(?!``)[^`]*)*)```\n\nIt prints\n\n```text\n([\s\S]*?)```\n/g)
  return [...found].map(([, code = '', output = '']) => ({ code, output }))
}

/** The paths of the active states in a snapshot's value: `{a: {b: 'c'}}` has `a`, `a.b` and `a.b.c`. */
export function activeStates(value: unknown, above = ''): readonly string[] {
  const at = (name: string): string => (above === '' ? name : `${above}.${name}`)
  if (typeof value === 'string') return [at(value)]
  return Object.entries((value ?? {}) as object).flatMap(([name, inside]) => [
    at(name),
    ...activeStates(inside, at(name)),
  ])
}

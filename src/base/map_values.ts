/** Returns an object of the same names, each with what `make` returns of its value. */
export function mapValues<T extends object, V>(
  record: T,
  make: (value: T[keyof T], name: keyof T) => V,
): Readonly<Record<keyof T, V>> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, make(value, name as keyof T)]),
  ) as Readonly<Record<keyof T, V>>
}

/** Values of this page, in case the browser has no storage. */
const kept = new Map<string, string>()

/**
 * Survives a reload of this tab. A browser that blocks all cookies has no storage: after a reload the person opens the
 * link again.
 */
function useStorage<Result>(use: (storage: Storage) => Result): Result | null {
  try {
    return use(sessionStorage)
  } catch {
    return null
  }
}

export function keep(key: string, value: string): void {
  kept.set(key, value)
  void useStorage(storage => storage.setItem(key, value))
}

export function recall(key: string): string | null {
  return kept.get(key) ?? useStorage(storage => storage.getItem(key))
}

export function forget(key: string): void {
  kept.delete(key)
  void useStorage(storage => storage.removeItem(key))
}

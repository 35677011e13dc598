/**
 * Survives a reload of this tab. A browser that blocks all cookies has no storage: after a reload the person opens the
 * link again.
 */
const useStorage = <Result>(use: (storage: Storage) => Result): Result | null => {
  try {
    return use(sessionStorage)
  } catch {
    return null
  }
}

export const keep = (key: string, value: string): void => void useStorage(storage => storage.setItem(key, value))

export const recall = (key: string): string | null => useStorage(storage => storage.getItem(key))

export const forget = (key: string): void => void useStorage(storage => storage.removeItem(key))

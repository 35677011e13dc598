/** What a reload of this tab remembers. Who blocks all cookies has no storage: a reload then needs the link again. */
const useStorage = <Result>(use: (storage: Storage) => Result): Result | null => {
  try {
    return use(sessionStorage)
  } catch {
    return null
  }
}

export const keep = (key: string, value: string): void => void useStorage(storage => storage.setItem(key, value))

export const recall = (key: string): string | null => useStorage(storage => storage.getItem(key))

/** A store of objects, which knows nothing of captures. */
export interface ObjectStore {
  /** `s3://bucket/prefix`. */
  readonly url: string
  put(name: string, pieces: readonly Buffer[]): Promise<void>
  /** Null where there is none. It may have up to `max_bytes`. */
  get(name: string, max_bytes: number): Promise<Buffer | null>
  /** Succeeds for a missing object too. */
  delete(name: string): Promise<void>
  close(): void
}

/** A request to an object store failed. */
export class ObjectStoreError extends Error {
  override name = 'ObjectStoreError'
  /** Whether the same request may succeed later. Otherwise somebody has to change a setting, a right or the bucket. */
  readonly is_temporary: boolean

  constructor(message: string, { is_temporary, ...options }: ErrorOptions & { readonly is_temporary: boolean }) {
    super(message, options)
    this.is_temporary = is_temporary
  }
}

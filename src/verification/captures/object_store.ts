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
  /**
   * The store refuses the object. Without the right to list a bucket it says so of one that is missing, too: 403 instead
   * of 404 (S3's GetObject, "Permissions").
   */
  readonly is_denied: boolean

  constructor(
    message: string,
    {
      is_temporary,
      is_denied = false,
      ...options
    }: ErrorOptions & { readonly is_temporary: boolean; readonly is_denied?: boolean },
  ) {
    super(message, options)
    this.is_temporary = is_temporary
    this.is_denied = is_denied
  }
}

/** An account's own apps. */
export interface AccountApps {
  /** `org.example.app`, and SHA-256 in hex of the certificate that signs it. */
  readonly android: readonly { readonly package: string; readonly signer: string }[]
  /** `TEAM.bundle`. */
  readonly ios: readonly string[]
}

const noApps: AccountApps = { android: [], ios: [] }

/** The value as the column has it. */
export function readApps(stored: string | null): AccountApps {
  return stored === null ? noApps : (JSON.parse(stored) as AccountApps)
}

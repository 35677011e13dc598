import { createHash } from 'node:crypto'
import { type CborValue, writeCbor } from '../encoding/cbor_writer.ts'

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function withHandover(handover: CborValue): Buffer {
  return writeCbor([null, null, handover])
}

function withHashed(name: string, info: readonly CborValue[]): Buffer {
  return withHandover([name, sha256(writeCbor(info))])
}

/** OpenID4VP 1.0, B.2.6.1: a wallet that a link opened. The thumbprint is null where the answer is not encrypted. */
export function transcriptOfLink(request: {
  readonly client_id: string
  readonly nonce: string
  readonly thumbprint: Buffer | null
  readonly response_uri: string
}): Buffer {
  const { client_id, nonce, thumbprint, response_uri } = request
  return withHashed('OpenID4VPHandover', [client_id, nonce, thumbprint, response_uri])
}

/** OpenID4VP 1.0, B.2.6.2: a wallet that the browser asked. */
export function transcriptOfBrowser(request: {
  readonly origin: string
  readonly nonce: string
  readonly thumbprint: Buffer | null
}): Buffer {
  const { origin, nonce, thumbprint } = request
  return withHashed('OpenID4VPDCAPIHandover', [origin, nonce, thumbprint])
}

/** ISO/IEC 18013-7, annex C. The encryption info is as the wallet was sent it, in base64url. */
export function transcriptOfAnnexC(encryptionInfo: string, origin: string): Buffer {
  return withHashed('dcapi', [encryptionInfo, origin])
}

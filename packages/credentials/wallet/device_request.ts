import { sign } from 'node:crypto'
import { type CborValue, embed, writeCbor } from '../encoding/cbor_writer.ts'
import { writeCoseKey } from './cose.ts'
import type { WalletParty, WalletRequest } from './request_types.ts'
import { transcriptOfAnnexC } from './session_transcript.ts'
import { listItemsRequests } from './wallet_query.ts'

/** The nonce and the key of annex C, as the wallet is sent them. */
export function describeEncryption({ nonce, key }: WalletRequest): string {
  const point = { x: Buffer.from(key.x, 'base64url'), y: Buffer.from(key.y, 'base64url') }
  const info = new Map<string, CborValue>([
    ['nonce', Buffer.from(nonce, 'base64url')],
    ['recipientPublicKey', writeCoseKey(point)],
  ])
  return writeCbor(['dcapi', info]).toString('base64url')
}

/** Signs the party's request, bound to the session (ISO/IEC 18013-5, 9.1.4). */
function signItems(party: WalletParty, items: CborValue, transcript: Buffer): CborValue {
  const header = writeCbor(new Map([[1, -7]]))
  const payload = writeCbor(embed(['ReaderAuthentication', { written: transcript }, items]))
  const data = writeCbor(['Signature1', header, Buffer.alloc(0), payload])
  const signature = sign('sha256', data, { key: party.key, dsaEncoding: 'ieee-p1363' })
  const [own = Buffer.alloc(0), ...more] = party.certificates
  return [header, new Map<number, CborValue>([[33, more.length === 0 ? own : [own, ...more]]]), null, signature]
}

/** A DeviceRequest of ISO/IEC 18013-5, 8.3.2.1.2.1, which the party signs if there is one. */
export function writeDeviceRequest(request: WalletRequest, party: WalletParty | null): Buffer {
  const transcript = transcriptOfAnnexC(describeEncryption(request), request.origin)
  const documents = listItemsRequests(request.query).map(
    items =>
      new Map<string, CborValue>([
        ['itemsRequest', items],
        ...(party === null ? [] : [['readerAuth', signItems(party, items, transcript)] as const]),
      ]),
  )
  return writeCbor(
    new Map<string, CborValue>([
      ['version', '1.0'],
      ['docRequests', documents],
    ]),
  )
}

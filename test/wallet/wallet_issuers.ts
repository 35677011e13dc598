import {
  createWalletIssuer,
  issueMdoc,
  type SyntheticCredential,
  specimenPerson,
  type WalletIssuer,
} from '@attestor/credentials/synthetic'
import { createApprovedFace, createApprovedFindings } from '../../src/engines/scripted.ts'
import { commandLine } from '../../src/identity/operators/audit.ts'
import { importWalletTrust } from '../../src/wallet/import_trust.ts'
import type { Rig, Script } from '../service/rig.ts'

/** Not a picture that anything here reads: the scripted engine looks at none. */
export const walletPortrait = Buffer.from('a portrait')

/** Finds all well. The engine has the wallet's portrait where it has the printed one of photographs. */
export const findAllWell: Script = request => {
  const found = createApprovedFindings({ ...request, transaction_type: 'DOCUMENT_AND_BIOMETRIC' })
  if (request.document_front !== null) return found
  const hasPortrait = request.signed_portrait != null
  const compared = hasPortrait ? { chip: { distance: 0.2, similarity: null, same_picture: false } } : {}
  const face = { ...createApprovedFace(request), reference: null, distance: null, similarity: null, ...compared }
  return { ...found, document: null, face }
}

/** Has a node trust issuers for what they issue. */
export async function trustIssuers(rig: Rig, issuers: readonly WalletIssuer[]): Promise<void> {
  for (const { anchor, credential } of issuers)
    await importWalletTrust(rig.node().service, [anchor.certificate.der], [credential], commandLine)
}

/** A driving licence whose issuer the node trusts. */
export async function issueTrusted(rig: Rig): Promise<{ issuer: WalletIssuer; credential: SyntheticCredential }> {
  const issuer = createWalletIssuer('MDL', { country: 'SE' })
  await trustIssuers(rig, [issuer])
  const person = { ...specimenPerson, portrait: walletPortrait }
  return { issuer, credential: issueMdoc(issuer, { now: rig.clock.now() - 3_600_000, person }) }
}

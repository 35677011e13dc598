import { Integer, ObjectIdentifier, OctetString, Sequence } from 'asn1js'
import { parseBlocks, unwrapFile } from './der.ts'
import { toDigest } from './signatures.ts'
import { readSignedData, type SignedContent } from './signed_data.ts'
import { UnreadableFileError } from './unreadable_file_error.ts'

/** ICAO 9303 part 10, 4.6.2: `id-icao-mrtd-security-ldsSecurityObject`. */
/** LDS security object; China's passports name it plain data (RFC 5652, 4). */
const contentTypes: readonly string[] = ['2.23.136.1.1.1', '1.2.840.113549.1.7.1']

/** The content that a state signs: the digest of each data group. */
export interface SecurityObject {
  readonly signed: SignedContent
  readonly version: number
  /** The digest's name for `node:crypto`; null: one that we do not accept. */
  readonly digest: string | null
  readonly data_groups: ReadonlyMap<number, Buffer>
}

function childrenOf(block: unknown): readonly unknown[] {
  if (!(block instanceof Sequence)) throw new UnreadableFileError('the security object cannot be read')
  return block.valueBlock.value
}

function readDataGroup(block: unknown): [number, Buffer] {
  const [number, digest] = childrenOf(block)
  if (!(number instanceof Integer) || !(digest instanceof OctetString))
    throw new UnreadableFileError('the security object cannot be read')
  return [number.valueBlock.valueDec, Buffer.from(digest.getValue())]
}

/** Version 1 adds the version of the data structure, which nothing depends on. Throws `UnreadableFileError`. */
function readContent(content: Buffer): Omit<SecurityObject, 'signed'> {
  const [version, algorithm, groups] = childrenOf(parseBlocks('the security object', content, { max_nodes: 200 }))
  const [digest] = childrenOf(algorithm)
  if (!(version instanceof Integer) || !(digest instanceof ObjectIdentifier))
    throw new UnreadableFileError('the security object cannot be read')
  return {
    version: version.valueBlock.valueDec,
    digest: toDigest(digest.getValue()),
    data_groups: new Map(childrenOf(groups).map(readDataGroup)),
  }
}

/** Reads EF.SOD as it is on the chip. Throws `UnreadableFileError`. */
export function readSecurityObject(file: Buffer): SecurityObject {
  // Some readers leave the outer tag away.
  const signed = readSignedData('EF.SOD', file[0] === 0x30 ? file : unwrapFile('EF.SOD', file, 0x77))
  if (!contentTypes.includes(signed.content_type)) throw new UnreadableFileError('EF.SOD has another content')
  return { signed, ...readContent(signed.content) }
}

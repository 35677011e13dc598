import test from 'ava'
import { readRevocationList } from '../../chip/revocation_list.ts'
import { verifyChip } from '../../chip/verify_chip.ts'
import {
  type Authority,
  createRoot,
  issueLink,
  issueRevocationList,
  issueSigner,
  type ListOptions,
  usualAlgorithm,
} from '../../synthetic/state.ts'
import { listDoubts, makeFiles, now, trust } from './invented_chip.ts'

const serial = 77
const at = now - 1e9
const revoked = ['revocation FAILED REVOKED']
const open = ['revocation UNDETERMINED ALGORITHM_NOT_ACCEPTED']

const old = createRoot('UT', usualAlgorithm, { name: 'CSCA UT' })
const next = createRoot('UT', usualAlgorithm, { name: 'CSCA UT' })
const renamed = createRoot('UT', usualAlgorithm, { name: 'Authority of Utopia' })
const link = issueLink(old, next)
const linkToRenamed = issueLink(next, renamed)
const files = makeFiles({ root: old, signer: issueSigner(old, usualAlgorithm, { serial }) })

function judge(authorities: readonly Authority[], ...lists: readonly Buffer[]): string[] {
  return listDoubts(
    verifyChip(files, trust(authorities, { revocation_lists: lists.map(list => readRevocationList(list)) }), now),
  )
}

function listBy(authority: Authority, serials: readonly number[] = [serial], options: ListOptions = {}): Buffer {
  return issueRevocationList(authority, serials, at, options)
}

test('any key of an authority revokes what another of its keys issued: by the name, by a link, by links of links', t => {
  t.deepEqual(judge([old], listBy(old)), revoked)
  t.deepEqual(judge([old, next], listBy(next)), revoked)
  t.deepEqual(judge([old, next, link], listBy(next)), revoked)
  // The link alone is imported, or the newest root has another name.
  t.deepEqual(judge([old, link], listBy(next)), revoked)
  t.deepEqual(judge([old, link, linkToRenamed], listBy(renamed)), revoked)
  t.deepEqual(judge([old, next, linkToRenamed, renamed], listBy(renamed)), revoked)
})

test('a name whose number counts the keys is one authority’s', t => {
  const [first, second] = [1, 2].map(number => createRoot('UT', usualAlgorithm, { name: 'CSCA', number }))
  if (first === undefined || second === undefined) return t.fail()
  const own = makeFiles({ root: first, signer: issueSigner(first, usualAlgorithm, { serial }) })
  const anchors = trust([first, second], { revocation_lists: [readRevocationList(listBy(second))] })
  t.deepEqual(listDoubts(verifyChip(own, anchors, now)), revoked)
})

test('a list of a stranger, a neighbour, or an unconnected authority of the state revokes nothing', t => {
  t.deepEqual(judge([old], listBy(next)), [])
  const neighbour = createRoot('DE', usualAlgorithm, { name: 'CSCA UT' })
  t.deepEqual(judge([old, neighbour], listBy(neighbour)), [])
  t.deepEqual(judge([old, renamed], listBy(renamed)), [])
  // A link that is signed by another key than it names connects no roots.
  const forged = issueLink({ ...old, keys: createRoot('UT', usualAlgorithm).keys }, renamed)
  t.deepEqual(judge([old, forged, renamed], listBy(renamed)), [])
  t.deepEqual(judge([old, next, link], listBy(next, [serial + 1])), [])
})

test('an old list revokes as long as no later one says that the certificate was only on hold', t => {
  const later = issueRevocationList(next, [], at + 1000)
  t.deepEqual(judge([old, next], listBy(old), later), revoked)
  t.deepEqual(judge([old, next], listBy(old, [serial], { reason: 6 })), revoked)
  t.deepEqual(judge([old, next], listBy(old, [serial], { reason: 6 }), later), [])
  t.deepEqual(
    judge([old, next], listBy(old, [serial], { reason: 6 }), issueRevocationList(old, [], at - 1000)),
    revoked,
  )
  // Removed from a list (8), and every reason that revokes.
  t.deepEqual(judge([old], listBy(old, [serial], { reason: 8 })), [])
  for (const reason of [0, 1, 2, 3, 4, 5, 9, 10]) t.deepEqual(judge([old], listBy(old, [serial], { reason })), revoked)
})

test('an entry that names an issuer is of its certificates alone', t => {
  t.deepEqual(judge([old, linkToRenamed, next, renamed], listBy(renamed, [serial], { of: old })), revoked)
  t.deepEqual(judge([old], listBy(old, [serial], { of: renamed })), [])
})

test('a list of version 1, without number and without extensions counts; one that is not understood leaves it open', t => {
  t.deepEqual(judge([old], listBy(old, [serial], { version: 1 })), revoked)
  t.deepEqual(judge([old], listBy(old, [serial], { critical: '2.5.29.20' })), revoked)
  t.deepEqual(judge([old], listBy(old, [serial], { critical: '1.2.3.4' })), open)
  t.deepEqual(judge([old], listBy(old, [serial + 1], { critical: '1.2.3.4' })), [])
})

test('a link that was revoked leads nowhere, unless there is another way; so does a root, by another key of its own', t => {
  const ofNext = makeFiles({ root: next, signer: issueSigner(next, usualAlgorithm, { serial }) })
  const doubts = (authorities: readonly Authority[], list: Buffer): string[] =>
    listDoubts(verifyChip(ofNext, trust(authorities, { revocation_lists: [readRevocationList(list)] }), now))
  t.deepEqual(doubts([old, link], listBy(old, [link.serial])), revoked)
  t.deepEqual(doubts([old, link, next], listBy(old, [link.serial])), [])
  t.deepEqual(doubts([old, next], listBy(old, [next.serial])), revoked)
  t.deepEqual(doubts([old, next], listBy(next, [next.serial])), [])
})

import { seeded } from '@attestor/vision/synthetic'
import test from 'ava'
import { rounds } from '../../../../test/tier.ts'
import { checkMasterList, readMasterList, readTrustFile } from '../../chip/trust_files.ts'
import { UnreadableFileError } from '../../chip/unreadable_file_error.ts'
import { verifyChip } from '../../chip/verify_chip.ts'
import { createState, issueMasterList, issueSigner, usualAlgorithm } from '../../synthetic/state.ts'
import { listDoubts, makeFiles, now, signedAt, trust } from './invented_chip.ts'
import { mutate } from './mutate.ts'

const maxMilliseconds = 100
const state = createState()
const anchors = trust([state.root])

/** AVA gives up on a file that reports nothing for minutes, so each part is a test of its own. */
const parts = Array.from({ length: rounds(1, 10) }, (_, part) => part)

/** Runs one call. Returns the milliseconds of CPU that it took. */
function measure(run: () => void): number {
  const before = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

for (const part of parts)
  test.serial(`mutated security objects are refused without a crash, and within their time, part ${part}`, t => {
    const files = makeFiles(state)
    const random = seeded(32 + 2 * part)
    let [most, proven] = [0, 0]
    for (let round = 0; round < rounds(400, 5000); round++) {
      const sod = mutate(files.sod, random)
      most = Math.max(
        most,
        measure(() => {
          const doubts = listDoubts(verifyChip({ ...files, sod }, anchors, now))
          if (doubts.length === 0) proven++
        }),
      )
    }
    t.log(`the slowest of ${rounds(400, 5000)}: ${most.toFixed(1)} ms of CPU`)
    t.true(most < maxMilliseconds)
    // Unsigned bits, and changes without an effect.
    t.true(proven < rounds(400, 5000) / 5, `${proven} proven`)
  })

for (const part of parts)
  test.serial(`mutated master lists are refused without a crash, and within their time, part ${part}`, t => {
    const signer = issueSigner(state.root, usualAlgorithm, { purpose: '2.23.136.1.1.3' })
    const certificates = Array.from({ length: 3 }, () => createState().root.certificate)
    const list = issueMasterList({ root: state.root, signer, signed_at: signedAt }, certificates)
    const random = seeded(33 + 2 * part)
    let most = 0
    for (let round = 0; round < rounds(100, 5000); round++) {
      const bytes = mutate(list, random)
      most = Math.max(
        most,
        measure(() => {
          for (const read of readTrustFile(bytes).master_lists) {
            checkMasterList(read, anchors, now)
            try {
              readMasterList(read)
            } catch (error) {
              if (!(error instanceof UnreadableFileError)) throw error
            }
          }
        }),
      )
    }
    t.log(`the slowest of ${rounds(100, 5000)}: ${most.toFixed(1)} ms of CPU`)
    t.true(most < maxMilliseconds)
  })

test('files that are deep, wide or long are refused at once', t => {
  const files = makeFiles(state)
  const deep = Buffer.concat(Array.from({ length: 16_000 }, () => Buffer.from('3080', 'hex')))
  const wide = Buffer.concat([
    Buffer.from('77830080003083007ffb', 'hex'),
    Buffer.alloc(32_763, Buffer.from('0500', 'hex')),
  ])
  const wrapped = Buffer.concat([Buffer.from('77827d00', 'hex'), deep])
  for (const sod of [deep, wide, wrapped, Buffer.alloc(1_000_000, 0x30), Buffer.alloc(0)]) {
    const took = measure(() => {
      t.deepEqual(listDoubts(verifyChip({ ...files, sod }, anchors, now)), ['files UNDETERMINED UNREADABLE'])
    })
    t.true(took < maxMilliseconds, `${took} ms`)
  }
})

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { unwrapFile } from '../../chip/der.ts'
import { verifyChip } from '../../chip/verify_chip.ts'
import { specimenPassport } from '../../synthetic/chip.ts'
import { createState } from '../../synthetic/state.ts'
import { algorithms } from './algorithms.ts'
import { listDoubts, makeFiles, now, signedAt, trust, usual } from './invented_chip.ts'

const folder = mkdtempSync(join(tmpdir(), 'attestor-openssl-'))
test.after.always(() => rmSync(folder, { recursive: true }))

function toPem(der: Buffer): string {
  return execFileSync('openssl', ['x509', '-inform', 'DER'], { input: der, encoding: 'utf8' })
}

/** Whether OpenSSL's own CMS finds the signature good. */
function isSigned(cms: Buffer): boolean {
  const options = ['cms', '-verify', '-inform', 'DER', '-binary', '-noverify', '-out', '/dev/null']
  return spawnSync('openssl', options, { input: cms }).status === 0
}

for (const [at, algorithm] of algorithms.entries())
  test(`OpenSSL agrees about ${JSON.stringify(algorithm)}`, t => {
    const state = createState(algorithm)
    const { sod, ...files } = makeFiles(state, specimenPassport, { ...usual, digest: algorithm.digest })
    t.true(isSigned(unwrapFile('EF.SOD', sod, 0x77)))
    const forged = Buffer.from(sod)
    forged[forged.length - 3] = (forged.at(-3) ?? 0) ^ 1
    t.false(isSigned(unwrapFile('EF.SOD', forged, 0x77)))
    t.deepEqual(listDoubts(verifyChip({ sod, ...files }, trust([state.root]), now)), [])
    t.true(
      listDoubts(verifyChip({ sod: forged, ...files }, trust([state.root]), now)).includes(
        'signature FAILED NOT_SIGNED',
      ),
    )
    // OpenSSL refuses all explicit parameters in a chain.
    if (algorithm.type === 'ecdsa' && algorithm.explicit === true) return
    const [root, signer] = [join(folder, `${at}-root.pem`), join(folder, `${at}-signer.pem`)]
    writeFileSync(root, toPem(state.root.certificate))
    writeFileSync(signer, toPem(state.signer.certificate))
    const time = String(Math.floor(signedAt / 1000))
    const options = ['verify', '-auth_level', '0', '-attime', time, '-CAfile', root, signer]
    t.is(spawnSync('openssl', options).status, 0)
  })

/**
 * Measures what verifying a wallet's answer costs, and what answers of others come to: `node packages/credentials/bench/wallet.ts
 * [--clones DIR] [--bits]`. The files are named in `wallet_sources.json`, and are found in clones as `main.ts` finds its own.
 * With `--bits` every bit of four real answers is changed, which takes a minute.
 */
import { parseArgs } from 'node:util'
import { tryOutsideWallets } from './wallet_outside.ts'

const { values } = parseArgs({ options: { clones: { type: 'string' }, bits: { type: 'boolean', default: false } } })
if (values.clones !== undefined) tryOutsideWallets(values.clones, values.bits)

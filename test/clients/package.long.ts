import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'ava'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'clients/typescript')

/** This Node, and the machine's own: the package takes any from 20.3. */
const nodes = [process.execPath, ...(process.env.PATH ?? '').split(':').map(folder => join(folder, 'node'))].filter(
  existsSync,
)

const program = `
import { createClient } from '@attestor/client'
import { AttestorError } from '@attestor/client/errors'
import { openKeySet, verifyWebhook } from '@attestor/client/verify_webhook'
import vectors from './webhook_vectors.json' with { type: 'json' }
const [{ steps: [step] }] = vectors.receivers
const keys = openKeySet('https://attestor.invalid/', {
  now: () => Date.parse(step.at),
  fetch: async () => Response.json(vectors.key_sets[step.published]),
})
const fetch = async () => Response.json({ error: 'invalid_client' }, { status: 401 })
const client = createClient({ baseUrl: 'https://attestor.invalid', clientId: 'id', clientSecret: 'secret', fetch })
const error = await client.getTransaction('1').catch(error => error)
console.log((await verifyWebhook(step, keys)).verified, error instanceof AttestorError && error.code)
`

const types = `
import { createClient } from '@attestor/client'
import type { Transaction } from '@attestor/client/api'
const client = createClient({ baseUrl: '', clientId: '', clientSecret: '' })
export const decide = async (id: string): Promise<string | undefined> => {
  const transaction: Transaction = await client.getTransaction(id)
  // @ts-expect-error: there is no such status
  if (transaction.status === 'DONE') return
  return transaction.result_data?.decision
}
`

test('The package is plain JavaScript with types, for every Node that it names', t => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'attestor-package-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const built = join(folder, 'node_modules/@attestor/client')
  const tsc = createRequire(join(source, 'package.json')).resolve('typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', source, '--outDir', join(built, 'dist')])
  cpSync(join(source, 'package.json'), join(built, 'package.json'))
  cpSync(join(root, 'clients/webhook_vectors.json'), join(folder, 'webhook_vectors.json'))
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  writeFileSync(join(folder, 'program.js'), program)
  writeFileSync(join(folder, 'types.ts'), types)
  const options = ['--strict', '--skipLibCheck', '--noEmit', '--module', 'nodenext', '--types', 'node']
  execFileSync(process.execPath, [tsc, ...options, join(folder, 'types.ts')], { cwd: folder, stdio: 'inherit' })
  const versions = new Set<string>()
  for (const node of nodes) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
    if (versions.has(version) || Number(version.slice(1).split('.')[0]) < 20) continue
    versions.add(version)
    const printed = execFileSync(node, ['--no-warnings', 'program.js'], { cwd: folder, encoding: 'utf8' })
    t.is(printed, 'true invalid_client\n', version)
  }
  t.log(`${dirname(built).split('/').at(-1)}/client runs on ${[...versions].join(', ')}`)
  t.true(versions.size >= 1)
})

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { findUncalled } from '../../clients/postman/collection.ts'
import { chapters } from '../../clients/postman/flow.ts'
import { apiDocument } from '../../tools/api_document.ts'
import { picture } from '../service/client.ts'
import { attestor, startChild } from '../service/programs.ts'
import { inLongTier } from '../tier.ts'

const root = join(import.meta.dirname, '../..')
const collection = join(root, 'clients/postman/attestor.postman_collection.json')
const newman = join(root, 'node_modules/newman/bin/newman.js')

interface Report {
  readonly run: {
    readonly stats: Readonly<Record<'requests' | 'assertions', { readonly total: number; readonly failed: number }>>
    readonly failures: readonly {
      readonly source?: { readonly name: string }
      readonly error: { readonly message: string }
    }[]
  }
}

const run = (words: readonly string[]) =>
  new Promise<string>(resolve => {
    execFile(process.execPath, ['--no-deprecation', newman, 'run', collection, ...words], (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })

test('Every operation of the document is in the collection', t => {
  t.deepEqual(findUncalled(apiDocument()), [], 'say in clients/postman/flow.ts where it stands')
})

inLongTier(test)('Run from above by Postman’s own runner, every request of the collection succeeds', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-postman-'))
  mkdirSync(join(folder, 'sample-photos'))
  for (const [n, name] of ['id-card-front', 'id-card-back', 'selfie', 'TURN_LEFT'].entries())
    writeFileSync(join(folder, 'sample-photos', `${name}.jpg`), await picture(n * 60))
  const environment = {
    ...{ PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'attestor.sqlite')}`, ANALYSIS_BACKOFF_SECONDS: '0' },
    MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
  }
  t.is((await attestor(['migrate'], environment)).code, 0)
  const made = await attestor(['account', 'create', '--name', 'Acme', '--test', '--json'], environment)
  const { client_id, client_secret } = JSON.parse(made.stdout)
  const program = startChild(environment, 0)
  t.teardown(() => {
    program.child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const base_url = await program.ready()
  const set = Object.entries({ base_url, client_id, client_secret }).flatMap(([name, value]) => [
    '--env-var',
    `${name}=${value}`,
  ])
  const report = join(folder, 'report.json')
  const output = await run([...set, '--working-dir', folder, '--reporters', 'json', '--reporter-json-export', report])
  const { stats, failures } = (JSON.parse(readFileSync(report, 'utf8')) as Report).run
  t.deepEqual(
    failures.map(({ source, error }) => `${source?.name}: ${error.message}`),
    [],
    output,
  )
  const calls = chapters.flatMap(chapter => chapter.calls)
  t.like(stats, { requests: { total: calls.length, failed: 0 } })
  t.true(stats.assertions.total >= calls.length)
})

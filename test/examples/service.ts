import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attestor, startChild } from '../service/programs.ts'

/** Makes a transaction of a test account end without a person. */
export const walk = '/api/account/integration/kyc/test/transaction/{transaction_id}/walk'

/** A service in a process of its own, for the sample integrators. */
export interface SampleService {
  readonly baseUrl: string
  readonly folder: string
  createAccount(...words: readonly string[]): Promise<{ client_id: string; client_secret: string }>
  end(): void
}

/** Starts it, on an empty SQLite database in `folder`; webhooks may go to `hosts`. */
export async function startSampleService(hosts: readonly string[], settings = {}): Promise<SampleService> {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-example-'))
  const environment = {
    PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'attestor.sqlite')}`,
    ANALYSIS_BACKOFF_SECONDS: '0',
    MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
    WEBHOOK_ALLOW_HOSTS: hosts.join(),
    ...settings,
  }
  const migrated = await attestor(['migrate'], environment)
  if (migrated.code !== 0) throw new Error(migrated.stderr)
  const program = startChild(environment, 0)
  return {
    baseUrl: await program.ready(),
    folder,
    async createAccount(...words) {
      return JSON.parse(
        (await attestor(['account', 'create', '--name', 'Acme', '--json', ...words], environment)).stdout,
      )
    },
    end() {
      program.child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

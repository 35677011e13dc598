import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createCommand } from '../curl.ts'
import { type ApiDocument, listRoutes } from '../openapi.ts'

const execute = promisify(execFile)

/** The output of a command of the pages: its status, and its body where that is JSON. */
export interface Printed {
  readonly status: string
  readonly body: Readonly<Record<string, unknown>> | null
}

/** The shell of a reader who pastes commands: its variables, and its folder. */
export interface Shell {
  readonly variables: Record<string, string>
  readonly folder: string
}

const marker = '--- status: '

/** Runs the command that the pages show for an operation, as it is pasted. */
export async function runCommand(document: ApiDocument, operationId: string, shell: Shell): Promise<Printed> {
  const route = listRoutes(document.paths).find(({ operation }) => operation.operationId === operationId)
  if (route === undefined) throw new Error(`the document has no operation ${operationId}`)
  const script = `set -eu\ncurl() { command curl -s -w '${marker}%{http_code}' "$@"; }\n${createCommand(route)}`
  const { stdout } = await execute('bash', ['-c', script], {
    cwd: shell.folder,
    env: { PATH: process.env.PATH, ...shell.variables },
    maxBuffer: 2 ** 24,
  })
  const [text = '', status = ''] = stdout.split(marker)
  const isJson = /^[[{]/.test(text) && route.operation.operationId !== 'getDocument'
  return { status, body: isJson ? JSON.parse(text) : null }
}

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import test from 'ava'

const log = join(import.meta.dirname, '..', '..', 'src', 'base', 'log.ts')

/** Runs a program that logs, and resolves with what it wrote to a pipe. */
const run = (
  program: string,
): { readonly lines: readonly Record<string, unknown>[]; readonly status: number | null } => {
  const source = `import { jsonLog } from ${JSON.stringify(log)}\nconst log = jsonLog('info')\n${program}`
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
  })
  const lines = stdout.split('\n').filter(line => line !== '')
  return { status, lines: lines.map(line => JSON.parse(line) as Record<string, unknown>) }
}

test('A line names its time, its level and its message', t => {
  const { lines } = run("log.warn({ request_id: 'r-1', status: 503 }, 'call')")
  t.is(lines.length, 1)
  const [line] = lines
  t.regex(String(line?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  t.like(line, { level: 'warn', request_id: 'r-1', status: 503, message: 'call' })
})

test('What a program has logged is out when it exits, and when an error ends it', t => {
  const many = 'for (let n = 0; n < 3000; n++) log.info({ n }, "line")'
  const ordered = Array.from({ length: 3000 }, (_, n) => n)
  for (const [end, status] of [
    ['', 0],
    ['process.exit(3)', 3],
    ["throw new Error('the end')", 1],
  ] as const) {
    const ended = run(`${many}\n${end}`)
    t.is(ended.status, status)
    t.deepEqual(
      ended.lines.map(({ n }) => n),
      ordered,
    )
  }
})

test('Credentials are hidden among the fields and in objects among them', t => {
  const { lines } = run(`
    const fields = { token: 't', sdk_token: 's', headers: { authorization: 'Bearer b', host: 'h' }, ids: ['i'], none: null }
    log.info(fields, 'call')
    log.info({ token_kept: fields.token === 't' && fields.headers.authorization === 'Bearer b' }, 'its object is as it was')
  `)
  t.like(lines[0], { token: '[Redacted]', sdk_token: '[Redacted]', ids: ['i'], none: null })
  t.deepEqual(lines[0]?.headers, { authorization: '[Redacted]', host: 'h' })
  t.like(lines[1], { token_kept: true })
})

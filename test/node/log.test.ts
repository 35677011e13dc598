import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test from 'ava'

import { toTextLine } from '../../src/node/open_log.ts'

const log = join(import.meta.dirname, '..', '..', 'src', 'node', 'open_log.ts')

/** Runs a program that logs, and resolves with its output to a pipe, or to a terminal. */
function runIn(format: string, program: string, terminal = false) {
  const source = `import { openLog } from ${JSON.stringify(log)}
    const log = openLog({ level: 'info', format: '${format}' })\n${program}`
  // Nothing else, since Node knows by NO_COLOR, FORCE_COLOR, CI and their like whether a terminal has colours.
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, TERM: 'xterm-256color' }
  const node = [process.execPath, '--input-type=module', '--eval', source]
  // util-linux's `script` runs a command on a terminal of its own.
  const quoted = node.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const [command = '', ...given] = terminal ? ['script', '-qec', quoted, '/dev/null'] : node
  return spawnSync(command, given, { encoding: 'utf8', env })
}

function run(program: string): { readonly lines: readonly Record<string, unknown>[]; readonly status: number | null } {
  const { stdout, status } = runIn('auto', program)
  const lines = stdout.split('\n').filter(line => line !== '')
  return { status, lines: lines.map(line => JSON.parse(line) as Record<string, unknown>) }
}

/** Lines of one program, as a process takes a second: one in each format, and two about credentials. */
const program = `
  for (const format of ['auto', 'text', 'json'])
    openLog({ level: 'info', format }).warn({ status: 503, transaction_id: 't-1', request_id: 'r-1' }, 'call')
  const fields = { token: 't', sdk_token: 's', headers: { authorization: 'Bearer b', host: 'h' }, ids: ['i'], none: null }
  log.info(fields, 'call')
  log.info({ token_kept: fields.token === 't' && fields.headers.authorization === 'Bearer b' }, 'its object is as it was')`

const printed: Record<'pipe' | 'terminal', readonly string[] | null> = { pipe: null, terminal: null }

function linesOn(where: keyof typeof printed): readonly string[] {
  const lines = printed[where] ?? runIn('json', program, where === 'terminal').stdout.split(/\r?\n/)
  printed[where] = lines
  return lines
}

const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`

test('A line names its time, its level and its message', t => {
  const line = JSON.parse(linesOn('pipe')[0] ?? '')
  t.regex(line.time, new RegExp(`^${time}$`))
  t.like(line, { level: 'warn', request_id: 'r-1', status: 503, message: 'call' })
})

test("A program's log is complete when it exits, and when an error ends it", t => {
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
  const [hiding, kept] = linesOn('pipe')
    .slice(3, 5)
    .map(line => JSON.parse(line))
  t.like(hiding, { token: '[Redacted]', sdk_token: '[Redacted]', ids: ['i'], none: null })
  t.deepEqual(hiding.headers, { authorization: '[Redacted]', host: 'h' })
  t.like(kept, { token_kept: true })
})

test("Another user's pipe is written as it is, and a closed stdout, a full disk or a pipe without a reader stops no program", t => {
  const source = `import { openLog } from ${JSON.stringify(log)}\nopenLog({ level: 'info', format: 'json' }).info({}, 'call')`
  const node = [process.execPath, '--input-type=module', '--eval', source]
  // Its mode keeps everybody from opening the pipe again; root too, without the right to pass over modes.
  const asAnother = process.getuid?.() === 0 ? 'setpriv --bounding-set=-dac_override ' : ''
  for (const [shell, isWritten] of [
    [`(chmod 0 /proc/self/fd/1; exec ${asAnother}"$0" "$@") | cat`, true],
    ['"$0" "$@" >&-', false],
    ['"$0" "$@" > /dev/full', false],
    // The reader has gone before the program starts.
    ['(sleep 0 & wait; "$0" "$@"; echo $? >&2) | :', false],
  ] as const) {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', shell, ...node], { encoding: 'utf8' })
    t.is(status, 0, stderr)
    t.regex(stderr, /^(0\n)?$/)
    t.is(stdout.includes('"message":"call"'), isWritten, shell)
  }
})

test('A terminal gets text, a pipe JSON, and the setting overrules both', t => {
  const [auto = '', text] = linesOn('pipe')
  t.like(JSON.parse(auto), { level: 'warn', request_id: 'r-1' })
  t.regex(text ?? '', new RegExp(`^${time} WARN {2}call request_id=r-1 transaction_id=t-1 status=503$`))
  const [colored = '', , json = ''] = linesOn('terminal')
  t.regex(colored, new RegExp(`^${time} \u001b\\[33mWARN \u001b\\[39m call request_id=r-1 `))
  t.like(JSON.parse(json), { level: 'warn', request_id: 'r-1' })
})

test("A stranger's text neither begins a line of the log nor reaches the terminal as a control", t => {
  const controls = ['\n', '\r', '\t', '\u0000', '\u0007', '\u001b[2J', '\u001b]0;title\u0007', '\u007f', '\u009b31m']
  const separators = ['\u2028', '\u2029', '\u202e', '\u2066', '\u200b', '\ufeff', '\ud800']
  for (const hostile of [...controls, ...separators, 'a b=c "d"']) {
    const said = `x${hostile}2026-11-23T00:00:00.000Z ERROR forged`
    const fields = { said, deep: { [said]: [said] }, [said]: 1 }
    const line = toTextLine(
      JSON.stringify({ time: '2026-11-23T00:00:00.000Z', level: 'info', message: said, ...fields }),
    )
    t.true(line.endsWith('\n'))
    t.notRegex(line.slice(0, -1), /[\p{C}\p{Zl}\p{Zp}]/u, JSON.stringify(hostile))
    const stack = `Error: ${said}\n    at here`
    const lines = toTextLine(JSON.stringify({ time: 'now', level: 'error', message: 'm', stack })).split('\n')
    t.is(lines.pop(), '')
    t.true(lines.length >= 3 && lines.slice(1).every(part => part.startsWith('    ')))
    for (const part of lines) t.notRegex(part, /[\p{C}\p{Zl}\p{Zp}]/u)
  }
})

for (const kind of ['pipe', 'socket'])
  test(`A reader of a ${kind} that stalls stops nothing: lines are dropped and counted, and it gets the rest later`, async t => {
    const program = `
    import { openLog } from ${JSON.stringify(log)}
    const log = openLog({ level: 'info', format: 'json' })
    let n = 0
    const turn = () => {
      for (const end = n + 100; n < end; n++) log.info({ n, filler: 'x'.repeat(200) }, 'line')
      if (n < 20_000) setImmediate(turn)
      else process.send(n)
    }
    turn()
    process.on('message', () => {
      log.info({ n }, 'the last')
      setImmediate(() => process.disconnect())
    })`
    // Node gives its children sockets; a shell makes a pipe, whose `cat` stalls when we do.
    const [command, ...given] = kind === 'pipe' ? ['sh', '-c', '"$0" "$@" | cat', process.execPath] : [process.execPath]
    const child = spawn(command ?? '', [...given, '--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    t.deepEqual(await once(child, 'message'), [20_000, undefined], 'it went on although nobody read')
    const { stdout } = child
    let text = ''
    let isAsked = false
    stdout?.setEncoding('utf8')
    stdout?.on('data', data => {
      text += data
      if (!isAsked && text.includes('lines were dropped')) isAsked = child.send('go on')
    })
    const [code] = await once(child, 'close')
    t.is(code, 0)
    const lines = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { n?: number; dropped?: number; message: string })
    const kept = lines.filter(({ message }) => message === 'line').map(({ n }) => n)
    t.true(
      kept.every((n, at) => n !== undefined && n > (kept[at - 1] ?? -1)),
      'none is out of order',
    )
    const dropped = lines.reduce((sum, line) => sum + (line.dropped ?? 0), 0)
    t.true(dropped > 1000)
    t.is(kept.length + dropped, 20_000)
    t.is(lines.at(-1)?.message, 'the last')
  })

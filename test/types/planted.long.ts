import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'

const root = join(import.meta.dirname, '../..')
const sound = readFileSync(join(import.meta.dirname, 'sound.ts'), 'utf8').replaceAll("'../../", `'${root}/`)

/** A slip in the sound program, and words of the compiler's error. */
const slips: readonly (readonly [what: string, right: string, wrong: string, said: RegExp])[] = [
  ['an event', "{ type: 'CANCEL' }", "{ type: 'CANCELL' }", /CANCELL/],
  ['another event', "'FRONT_DROPPED'", "'FRONT_DROPPPED'", /FRONT_DROPPPED/],
  ['an event inside a commit', "'TURN'", "'TURRN'", /TURRN/],
  ['a member of an event', 'actions: [', 'actionz: [', /actions/],
  ['a movement of a challenge', "['BLINK']", "['BLINKK']", /BLINKK/],
  ['a value of an event', "declared_document: 'PASSPORT'", "declared_document: 'PASPORT'", /PASPORT/],
  ['a timer', 'xstate.after.TTL.', 'xstate.after.TLT.', /TLT/],
  ['a job', "jobDone('attempt'", "jobDone('atempt'", /atempt/],
  ['a result of a job', "outcome: 'delivered'", "outcome: 'deliverd'", /deliverd/],
  ['a note of the journal', "type: 'ERASE'", "type: 'ERASSE'", /ERASSE/],
  ['a note of a kind', "'CAPTURE_READ'", "'CAPTURE_RED'", /CAPTURE_RED/],
  ['a procedure', "name: 'acceptFromDevice'", "name: 'acceptFromDevise'", /acceptFromDevise/],
  ['what a procedure is given', 'params: { device: 0 }', 'params: { devise: 0 }', /devise/],
  ['a procedure’s writer', '*useCustomer(', '*usCustomer(', /usCustomer/],
  ['what a procedure reads', 'context.device', 'context.devise', /devise/],
  ['a handler', '*notifyIntegrator(', '*notfyIntegrator(', /notfyIntegrator/],
  ['what the chart gives a handler', 'params.status', 'params.statuss', /statuss/],
  ['a column that a handler reads', 'row.config', 'row.confg', /confg/],
  ['a column that a kind reads', "reads: ['config']", "reads: ['confg']", /confg/],
  ['a column that a status sets', 'finished_at: now', 'finishd_at: now', /finishd_at/],
  ['the table of a kind', "actorTable('transactions')", "actorTable('deliveries')", /customer_id/],
  ['a queue', "queue: 'admission'", "queue: 'admision'", /admision/],
  ['what a job comes to', 'output: null', 'output: 1', /number/],
  ['what a job is given', 'payload.attempt', 'payload.atempt', /atempt/],
  ['a column of a row', 'row.finished_at', 'row.finishd_at', /finishd_at/],
  ['a column of a SELECT', "'completed_at',", "'completd_at',", /completd_at/],
  ['a column that was not selected', 'found?.completed_at', 'found?.created_at', /created_at/],
  ['the status of a session', "'INITIATED'", "'INITIATD'", /INITIATD/],
  ['the status of a row', "'EXPIRED'", "'EXPIRD'", /EXPIRD/],
  ['the status of a delivery', "'EXHAUSTED'", "'EXAUSTED'", /EXAUSTED/],
  ['the state of a delivery that is shown', "'GONE'", "'GONNE'", /GONNE/],
  ['the status of an entry of the timeline', "'FAILED'", "'FALED'", /FALED/],
  ['an action of the audit log', "'logout'", "'logut'", /logut/],
  ['the role of an operator', "'admin'", "'admn'", /admn/],
  ['the kind of an image', "'document_back'", "'document_bak'", /document_bak/],
  ['the kind of a capture', "'liveness'", "'livenes'", /livenes/],
  ['a literal of a reply', "token_type: 'Bearer'", "token_type: 'Bearr'", /Bearr/],
  ['a status of a reply', "status: 'CREATED'", "status: 'CRATED'", /CRATED/],
  ['a code of a reply', 'return { status: 201', 'return { status: 210', /210/],
  ['a column that is inserted', 'value: word }', 'valu: word }', /value/],
]

/** The compiler's words on each of these files, which it reads as one program. */
function compile(texts: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'planted-'))
  try {
    const files = texts.map((_, index) => `planted_${index}.mts`)
    for (const [index, text] of texts.entries()) writeFileSync(join(folder, `planted_${index}.mts`), text)
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const settings = { extends: join(root, 'tsconfig.json'), files, include: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    const { stdout, error } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--pretty', 'false', '-p', folder], {
      encoding: 'utf8',
      cwd: folder,
    })
    if (error !== undefined) throw error
    const parts = stdout.split(/^(?=\S+\(\d+,\d+\): error)/m)
    return files.map(file => parts.filter(part => part.includes(`${file}(`)).join(''))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Slips are planted this far apart, because one may hide another in the same expression. */
const apart = 8

test('The compiler finds each misspelt event, timer, job, handler and column, and nothing else', t => {
  for (const [what, right] of slips) t.is(sound.split(right).length, 2, `${what} is there once`)
  const planted = Array.from({ length: apart }, (_, first) =>
    slips.filter((_, n) => n % apart === first).reduce((text, [, right, wrong]) => text.replace(right, wrong), sound),
  )
  const [first, ...said] = compile([sound, ...planted])
  t.is(first, '', 'the sound program compiles')
  for (const [n, [what, , wrong, words]] of slips.entries()) t.regex(said[n % apart] ?? '', words, `${what}: ${wrong}`)
})

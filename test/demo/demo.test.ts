import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { inventScene } from '../../demo/people.ts'

const program = join(import.meta.dirname, '../../demo/main.ts')

const demo = (...words: string[]) =>
  new Promise<{ code: number; output: string }>(resolve => {
    execFile(process.execPath, [program, ...words], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}\n${stderr}` }),
    )
  })

const webhooks = [1, 2, 3, 4].map(
  n => `webhook ${n}: ${['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED'][n - 1]}, signature verified`,
)

test.serial('The demo carries an invented person through the real models to APPROVED, and exits with 0', async t => {
  const { code, output } = await demo('--once')
  t.is(code, 0, output)
  t.regex(output, /is FINISHED: APPROVED/)
  for (const line of webhooks) t.true(output.includes(line), `${line} is missing from ${output}`)
})

test.serial('Another person’s selfie ends the demo in REJECTED, for the face', async t => {
  const { code, output } = await demo('--once', '--impostor')
  t.is(code, 0, output)
  t.regex(output, /is FINISHED: REJECTED/)
  t.regex(output, /REJECT\s+FACE_MISMATCH/)
})

test.serial('The demo takes photos from files, and refuses half a set of them', async t => {
  const within = mkdtempSync(join(tmpdir(), 'attestor-photos-'))
  t.teardown(() => rmSync(within, { recursive: true, force: true }))
  const { document_front, selfie, frames } = await inventScene(false)
  const shown = Object.entries(frames).map(
    ([action, frame]) => [action.toLowerCase().replace('_', '-'), frame] as const,
  )
  const files = { document: document_front, selfie, ...Object.fromEntries(shown) }
  const words = Object.entries(files).flatMap(([name, image]) => {
    const file = join(within, `${name}.jpg`)
    writeFileSync(file, image ?? '')
    return [`--${name}`, file]
  })
  const { code, output } = await demo('--once', ...words)
  t.is(code, 0, output)
  t.regex(output, /is FINISHED: APPROVED/)
  const half = await demo('--once', '--document', join(within, 'document.jpg'))
  t.is(half.code, 2)
  t.regex(half.output, /--document and --selfie belong together/)
})

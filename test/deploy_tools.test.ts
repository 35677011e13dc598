/** The programs that read the files of deploy/ and docker/ check them, if they are installed. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { generate } from 'selfsigned'
import { programPath } from './private_mariadb.ts'

const root = join(import.meta.dirname, '..')

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

type Run = (...words: string[]) => { readonly code: number | null; readonly said: string }

/**
 * A test of a program, in a folder of its own. It is skipped if there is none, which `npm test` reports at its start.
 */
function testProgram(name: string, title: string, body: (t: ExecutionContext, run: Run, folder: string) => unknown) {
  const program = programPath(name)
  const programTest = program === null ? test.skip : test
  programTest(title, t => {
    const folder = mkdtempSync(join(tmpdir(), `attestor-${name}-`))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const run: Run = (...words) => {
      const { status, stdout, stderr } = spawnSync(program ?? name, words, { cwd: folder, encoding: 'utf8' })
      return { code: status, said: `${stdout}${stderr}` }
    }
    return body(t, run, folder)
  })
}

testProgram('systemd-analyze', 'systemd knows every line of the unit', (t, run, folder) => {
  const unit = join(folder, 'attestor.service')
  const text = read('deploy/attestor.service').replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`)
  const verify = (changed: string): string => {
    writeFileSync(unit, changed)
    return run('verify', '--man=no', unit).said
  }
  t.is(verify(text), '')
  t.regex(verify(text.replace('RestartSec=', 'RestartSecs=')), /Unknown key.*RestartSecs/)
})

testProgram('promtool', 'Prometheus takes the alerts, and they fire when they have to', (t, run, folder) => {
  for (const name of ['alerts.yaml', 'alerts.test.yaml'])
    writeFileSync(join(folder, name), read(`deploy/prometheus/${name}`))
  for (const words of [
    ['check', 'rules', 'alerts.yaml'],
    ['test', 'rules', 'alerts.test.yaml'],
  ]) {
    const { code, said } = run(...words)
    t.is(code, 0, said)
  }
})

testProgram('helm', 'Helm finds nothing wrong with the chart', (t, run) => {
  const words = ['lint', '--strict', join(root, 'deploy/helm'), '--set', 'settings.BASE_URL=https://verify.example.com']
  const { code, said } = run(...words)
  t.is(code, 0, said)
})

testProgram('caddy', 'Caddy takes its files', (t, run) => {
  for (const name of ['deploy/Caddyfile', 'docker/Caddyfile.cluster']) {
    const { code, said } = run('validate', '--adapter', 'caddyfile', '--config', join(root, name))
    t.is(code, 0, said)
  }
})

testProgram('nginx', 'nginx takes its file', async (t, run, folder) => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'verify.example.com' }])
  writeFileSync(join(folder, 'verify.example.com.pem'), cert)
  writeFileSync(join(folder, 'verify.example.com.key'), key)
  writeFileSync(join(folder, 'site.conf'), read('deploy/nginx.conf').replaceAll('/etc/ssl', folder))
  const whole = `pid ${folder}/pid; error_log stderr; events {} http { access_log off; include ${folder}/site.conf; }`
  writeFileSync(join(folder, 'nginx.conf'), whole)
  const { code, said } = run('-t', '-p', folder, '-c', join(folder, 'nginx.conf'))
  t.is(code, 0, said)
})

import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../../test/ports.ts'
import { answerBench, type PeerOptions } from './contender.ts'
import { resolvePackage } from './packages.ts'

const platform = `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`
const startTimeoutMs = 60_000

async function untilAnswered(url: string, init?: RequestInit): Promise<void> {
  for (const until = performance.now() + startTimeoutMs; ; await pause(200)) {
    const answer = await fetch(url, init).catch(() => null)
    if (answer?.ok) return
    if (performance.now() > until) throw new Error(`${url}: ${answer === null ? 'no answer' : await answer.text()}`)
  }
}

/** Starts Restate's server as a child with the endpoint of this process, which listens on `port`, and offers its ingress. */
export async function startRestate({ data, packages }: PeerOptions, port: number): Promise<void> {
  const ingress = await freePort()
  const admin = await freePort()
  const node = await freePort()
  const child = spawn(resolvePackage(packages, platform), ['--base-dir', data, '--no-logo', '--listen-mode', 'tcp'], {
    env: {
      PATH: process.env.PATH,
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: String(node),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RUST_LOG: 'off',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  process.once('SIGTERM', () => process.exit(0))
  const uri = JSON.stringify({ uri: `http://127.0.0.1:${port}` })
  const headers = { 'Content-Type': 'application/json' }
  await untilAnswered(`http://127.0.0.1:${admin}/deployments`, { method: 'POST', body: uri, headers })
  await untilAnswered(`http://127.0.0.1:${ingress}/restate/health`)
  answerBench(`http://127.0.0.1:${ingress}`)
}

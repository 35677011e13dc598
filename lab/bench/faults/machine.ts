/**
 * Faults that only the operating system can cause, and only to the given targets: a process's syncs, connections on
 * loopback.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** Why a program can't be used here, or null. */
export function unusable(program: string, ...harmless: readonly string[]): string | null {
  const { status, error } = spawnSync(program, harmless, { stdio: 'ignore' })
  if (error !== undefined) return `${program} is not installed`
  return status === 0 ? null : `${program} may not be used`
}

function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
  return stdout
}

/** The ports from which a process has called others' ports. */
function callingPorts(pid: number, ports: readonly number[]): readonly number[] {
  const filter = ports.map(port => `dport = :${port}`).join(' or ')
  return run('ss', '-Htnp', filter)
    .split('\n')
    .filter(line => line.includes(`pid=${pid},`))
    .map(line => Number(/:(\d+)\s+\S+:\d+\s/.exec(line)?.[1]))
}

/**
 * Drops everything that a process and its peers send to each other on these ports, and all new connections to them.
 * Resolves with a function that ends it. A shell holds the rules, and removes them if this process ends without having
 * done so.
 */
export async function cutOff(pid: number, own: number, peers: readonly number[]): Promise<() => Promise<void>> {
  const rules = [
    ...[own, ...callingPorts(pid, peers)].flatMap(port => [`--sport ${port}`, `--dport ${port}`]),
    ...peers.map(port => `--dport ${port} --syn`),
  ]
  const change = (how: '-A' | '-D'): string =>
    rules.map(rule => `iptables ${how} INPUT -i lo -p tcp ${rule} -j DROP`).join('; ')
  const shell = spawn('sh', ['-c', `trap '' INT TERM; ${change('-A')}; echo cut; read _; ${change('-D')}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(shell, 'exit')
  await once(shell.stdout, 'data')
  return async () => {
    shell.stdin.end()
    await ended
  }
}

/** Delays each sync of a process. Resolves, once it does, with a function that ends it. */
export async function slowSyncs(pid: number, ms: number): Promise<() => Promise<void>> {
  const inject = `inject=fsync,fdatasync:delay_enter=${ms * 1000}`
  const tracer = spawn('strace', ['-f', '-p', `${pid}`, '-e', 'trace=fsync,fdatasync', '-e', inject, '-o', '/dev/null'])
  const ended = once(tracer, 'exit')
  // It says so on stderr when it has attached; without the right to, it ends.
  const first = await Promise.race([once(tracer.stderr, 'data'), ended.then(([code]) => [`ended with ${code}`])])
  if (!String(first[0]).includes('attached')) throw new Error(`strace: ${first[0]}`)
  tracer.stderr.resume()
  return async () => {
    tracer.kill('SIGINT')
    await ended
  }
}

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { DCLinter } from 'dclint'
import { parse, parseAllDocuments } from 'yaml'
import { readDatabaseAddress, secretSettings, settings } from '../src/config/settings.ts'
import { programPath } from './private_mariadb.ts'

const root = join(import.meta.dirname, '..')

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

const manifest = JSON.parse(read('package.json')) as { readonly version: string }

/** `MASTER_KEY_FILE` is `MASTER_KEY` in a file. */
function isSetting(name: string): boolean {
  return name in settings || secretSettings.includes(name.replace(/_FILE$/, ''))
}

interface Container {
  readonly image: string
  readonly command?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly livenessProbe?: { readonly httpGet: { readonly path: string } }
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } }
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly [string, string] } } }
  readonly securityContext: object
}

interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly items?: readonly Resource[]
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly data?: Readonly<Record<string, string>>
  readonly spec: {
    readonly selector?: { readonly matchLabels: object }
    readonly template?: {
      readonly metadata?: { readonly labels: object; readonly annotations?: object }
      readonly spec: {
        readonly enableServiceLinks: boolean
        readonly terminationGracePeriodSeconds?: number
        readonly securityContext: object
        readonly containers: readonly Container[]
      }
    }
  }
}

const resources = ['settings', 'migrate', 'attestor'].flatMap(name => {
  const resource = parse(read(`deploy/kubernetes/${name}.yaml`)) as Resource
  return resource.items ?? [resource]
})

test('Kubernetes: settings exist, images are this version, and nobody is root', t => {
  const config = resources.find(({ kind }) => kind === 'ConfigMap')
  const names = Object.keys(config?.data ?? {})
  t.true(names.length > 4)
  const pods = resources.flatMap(({ spec }) => spec?.template?.spec ?? [])
  t.is(pods.length, 4)
  for (const pod of pods) {
    t.like(pod.securityContext, { runAsNonRoot: true })
    t.false(pod.enableServiceLinks)
    for (const container of pod.containers) {
      t.is(container.image, `registry.example.com/attestor:${manifest.version}`)
      t.like(container.securityContext, { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
      names.push(...(container.env ?? []).map(({ name }) => name))
    }
  }
  t.deepEqual(
    names.filter(name => !isSetting(name)),
    [],
  )
})

/**
 * Returns the faults that TypeScript finds in resources, by the types that are made from Kubernetes' own description of
 * its API.
 */
function findFaults(t: ExecutionContext, variants: readonly (readonly Resource[])[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-kubernetes-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const files = variants.map((_, index) => `variant${index}.ts`)
  for (const [index, file] of files.entries()) {
    const texts = variants[index]?.map((resource, which) => {
      const types = resource.apiVersion === 'v1' ? 'core/v1' : resource.apiVersion
      return `import type { ${resource.kind} as Type${which} } from '${root}/node_modules/kubernetes-types/${types}'
export const resource${which}: Type${which} = ${JSON.stringify(resource)}`
    })
    writeFileSync(join(folder, file), texts?.join('\n') ?? '')
  }
  const compilerOptions = { strict: true, noEmit: true, module: 'esnext', moduleResolution: 'bundler', types: [] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: folder, encoding: 'utf8' })
  const lines = stdout.split('\n')
  return files.map(file => lines.filter(line => line.startsWith(file)).join('\n'))
}

test('Kubernetes has every resource, field and type that the files name', t => {
  const text = JSON.stringify(resources)
  const faults = [
    { right: '"livenessProbe":', wrong: '"livenesProbe":', said: /livenesProbe.* does not exist/ },
    { right: '"containerPort":3000', wrong: '"containerPort":"3000"', said: /'string' is not assignable .* 'number'/ },
    { right: '"kind":"Service"', wrong: '"kind":"Servise"', said: /no exported member .*'Servise'/ },
    { right: '"mountPath":', wrong: '"path":', said: /path.* does not exist/ },
  ]
  for (const { right } of faults) t.true(text.includes(right), right)
  const variants = [resources, ...faults.map(({ right, wrong }) => JSON.parse(text.replace(right, wrong)))]
  const [none, ...found] = findFaults(t, variants)
  t.is(none, '')
  for (const [index, { said }] of faults.entries()) t.regex(found[index] ?? '', said)
})

const helm = programPath('helm')

/**
 * Renders the chart with Helm, or with Go's templates, which Helm uses, if Helm is not installed. Null without either.
 */
function renderChart(t: ExecutionContext, name: string, values: object) {
  const Values = { ...(parse(read('deploy/helm/values.yaml')) as object), ...values }
  const folder = mkdtempSync(join(tmpdir(), 'attestor-chart-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'values.json')
  writeFileSync(file, JSON.stringify(Values))
  const chart = join(root, 'deploy/helm')
  const { version } = parse(read('deploy/helm/Chart.yaml')) as { readonly version: string }
  const input = JSON.stringify({ Values, Release: { Name: name }, Chart: { AppVersion: version } })
  const env = { ...process.env, GOPROXY: 'off' }
  const words = ['run', join(root, 'test/chart/main.go'), join(chart, 'templates')]
  const { stdout, stderr, error } =
    helm === null
      ? spawnSync('go', words, { input, encoding: 'utf8', env })
      : spawnSync(helm, ['template', name, chart, '--values', file], { encoding: 'utf8' })
  if (error !== undefined) return null
  const documents = parseAllDocuments(stdout)
  for (const { errors } of documents) t.deepEqual(errors, [])
  const made = documents.map(document => document.toJS() as Resource | null).filter(one => one !== null)
  return { made, stderr, version }
}

/** Leaves out the settings' values in a list of one file, and the release of a chart. */
function toComparable(of: readonly Resource[], config: Readonly<Record<string, string>>) {
  const env = Object.entries(config).map(([name, value]) => ({ name, value }))
  const text = JSON.stringify(of, (key, value) => {
    if (key === 'annotations') return undefined
    // The job of a release comes before its settings, and has them in itself.
    if (value?.name === 'migrate') return { ...value, envFrom: undefined, env: value.env ?? env }
    if (key === 'env') return [...value].sort((a, b) => a.name.localeCompare(b.name))
    return value
  })
  const resources = JSON.parse(text) as readonly Resource[]
  return Object.fromEntries(resources.map(one => [`${one.kind} ${one.metadata.name}`, one]))
}

test('Helm: the chart makes the plain files’ resources, under the name, image and settings of a release', t => {
  const config = resources.find(({ kind }) => kind === 'ConfigMap')?.data ?? {}
  const plain = renderChart(t, 'attestor', { settings: config })
  if (plain === null) {
    t.log('neither helm nor go is installed here: skipped')
    t.pass()
    return
  }
  t.is(plain.version, manifest.version)
  t.deepEqual(toComparable(plain.made, config), toComparable(resources, config), plain.stderr)
  const annotations = plain.made.find(({ kind }) => kind === 'Job')?.metadata.annotations
  t.is(annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade')

  const image = { repository: 'registry.acme.example/attestor', tag: '', digest: 'sha256:12ab' }
  const settings = { ...config, LOG_LEVEL: 'warn', ANALYSIS_PROCESSES: 2 }
  const own = renderChart(t, 'kyc', { image, settings, secret: 'kyc-keys' })
  const text = JSON.stringify(own?.made)
  t.true(own?.made.every(({ metadata }) => metadata.name.startsWith('kyc')))
  t.true(text.includes('"registry.acme.example/attestor@sha256:12ab"') && text.includes('"secretName":"kyc-keys"'))
  t.false(text.includes('registry.example.com'))
  t.like(own?.made.find(({ kind }) => kind === 'ConfigMap')?.data, { LOG_LEVEL: 'warn', ANALYSIS_PROCESSES: '2' })
  t.notDeepEqual(checksums(own?.made), checksums(plain.made), 'changed settings start the nodes again')

  t.regex(renderChart(t, 'kyc', {})?.stderr ?? '', /settings\.BASE_URL: must be the URL of the service/)
})

function checksums(made: readonly Resource[] = []): readonly unknown[] {
  return made.flatMap(({ spec }) => spec?.template?.metadata?.annotations ?? [])
}

test('Kubernetes: each role is a deployment of its own with its probes, and a stop outlasts the drain', t => {
  const deployments = resources.filter(({ kind }) => kind === 'Deployment')
  const roles = deployments.map(({ spec: { template, selector } }) => {
    const [container] = template?.spec.containers ?? []
    t.is(container?.livenessProbe?.httpGet.path, '/healthz')
    t.is(container?.readinessProbe?.httpGet.path, '/readyz')
    const [, wait = '0'] = container?.lifecycle?.preStop.exec.command ?? []
    t.true((template?.spec.terminationGracePeriodSeconds ?? 0) > Number(wait) + Number(settings.DRAIN_SECONDS.default))
    t.deepEqual(selector?.matchLabels, template?.metadata?.labels)
    return container?.env?.find(({ name }) => name === 'ROLES')?.value
  })
  t.deepEqual(roles, settings.ROLES.default.split(','))
  const budgets = resources.filter(({ kind }) => kind === 'PodDisruptionBudget')
  t.deepEqual(
    budgets.map(({ spec }) => spec.selector?.matchLabels),
    deployments.map(({ spec }) => spec.selector?.matchLabels),
  )
})

test('systemd: settings exist, and a stop outlasts the drain', t => {
  const unit = read('deploy/attestor.service')
  const names = [...unit.matchAll(/^#?Environment=(.*)$/gm)].flatMap(([, line = '']) =>
    [...line.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name),
  )
  t.deepEqual(
    names.filter(name => name !== 'NODE_ENV' && !isSetting(name)),
    [],
  )
  t.true(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > Number(settings.DRAIN_SECONDS.default))
})

test('Proxies accept the calls that the service accepts', t => {
  const nginx = Number(/client_max_body_size (\d+)m/.exec(read('deploy/nginx.conf'))?.[1])
  const caddy = Number(/max_size (\d+)MB/.exec(read('deploy/Caddyfile'))?.[1])
  const largest = Number(settings.CAPTURE_MAX_BYTES.default)
  t.true(nginx * 2 ** 20 > largest && caddy * 1e6 > largest, `${nginx} ${caddy}`)
})

interface LintResult {
  readonly messages: readonly { readonly rule: string; readonly message: string }[]
}

test('Compose takes its files, by the schema of its specification', t => {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-compose-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] })
  const check = (text: string): readonly string[] => {
    const file = join(folder, 'compose.yaml')
    writeFileSync(file, text)
    const results: readonly LintResult[] = linter.lintFiles([file], false)
    return results
      .flatMap(({ messages }) => messages)
      .filter(({ rule }) => rule === 'invalid-schema')
      .map(({ message }) => message)
  }
  for (const file of ['compose.yaml', 'compose.mariadb.yaml', 'compose.cluster.yaml'])
    t.deepEqual(check(read(`docker/${file}`)), [], file)
  t.regex(check(read('docker/compose.yaml').replace('mem_limit:', 'memory_limit:')).join(), /memory_limit|additional/)
})

test('Compose: all nodes of the cluster have the same members in the same order, and each member its own disk', t => {
  const { services } = parse(read('docker/compose.cluster.yaml'), { merge: true }) as {
    services: Readonly<Record<string, { environment?: Record<string, string>; volumes?: string[]; hostname?: string }>>
  }
  const members = ['member1', 'member2', 'member3']
  const node = services.node1?.environment ?? {}
  t.deepEqual(services.node2?.environment, node)
  t.deepEqual(services.migrate?.environment, node)
  const url = node.DATABASE_URL?.replace(/\$\{[^}]*\}/, 'password') ?? ''
  t.like(readDatabaseAddress({ DATABASE_URL: url }), {
    host: 'member1',
    standbys: [
      { host: 'member2', port: 3306 },
      { host: 'member3', port: 3306 },
    ],
  })
  for (const name of members) {
    t.is(services[name]?.hostname, name)
    t.true(services[name]?.volumes?.includes(`${name}:/var/lib/mysql`))
  }
  t.regex(read('docker/Caddyfile.cluster'), /reverse_proxy node1:3000 node2:3000/)
})

test('One member of compose’s cluster begins, and only if no other runs', t => {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-member-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const state = join(folder, 'grastate.dat')
  writeFileSync(join(folder, 'docker-entrypoint.sh'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 })
  writeFileSync(join(folder, 'member.sh'), read('docker/member.sh').replace('/var/lib/mysql/grastate.dat', state))
  // The only part that needs a network: whether a member takes connections.
  const start = (member: string, othersRun: boolean): string => {
    writeFileSync(join(folder, 'timeout'), `#!/bin/sh\nexit ${othersRun ? 0 : 1}\n`, { mode: 0o755 })
    const env = { PATH: `${folder}:${process.env.PATH}`, HOSTNAME: member }
    return spawnSync('sh', [join(folder, 'member.sh'), '--a'], { env, encoding: 'utf8' }).stdout.trim()
  }
  const joins = 'mariadbd --a'
  const begins = `${joins} --wsrep-new-cluster`
  t.deepEqual([start('member1', false), start('member2', false), start('member1', true)], [begins, joins, joins])
  writeFileSync(state, 'seqno:   9\nsafe_to_bootstrap: 0\n')
  t.deepEqual([start('member1', false), start('member2', false)], [joins, joins])
  writeFileSync(state, 'seqno:   9\nsafe_to_bootstrap: 1\n')
  t.deepEqual([start('member2', false), start('member2', true)], [begins, joins])
})

test('The image sets settings that exist, and none that may come as a file instead', t => {
  const names = [...read('docker/Dockerfile').matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
    [...line.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name),
  )
  t.true(names.includes('HOST'))
  t.deepEqual(
    names.filter(name => name !== 'NODE_ENV' && (!isSetting(name) || secretSettings.includes(name))),
    [],
  )
})

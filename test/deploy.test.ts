import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { parse } from 'yaml'
import { readDatabaseAddress, secretSettings, settings } from '../src/config.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const manifest = JSON.parse(read('package.json')) as { readonly version: string }

/** `MASTER_KEY_FILE` is `MASTER_KEY` in a file. */
const isSetting = (name: string): boolean => name in settings || secretSettings.includes(name.replace(/_FILE$/, ''))

interface Container {
  readonly image: string
  readonly command?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly livenessProbe?: { readonly httpGet: { readonly path: string } }
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } }
  readonly securityContext: object
}

interface Resource {
  readonly kind: string
  readonly items?: readonly Resource[]
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec: {
    readonly selector?: { readonly matchLabels: object }
    readonly template?: {
      readonly metadata?: { readonly labels: object }
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
  t.is(pods.length, 3)
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

test('Kubernetes: calls and work are apart, each with its probes, and a stop outlasts the drain', t => {
  const deployments = resources.filter(({ kind }) => kind === 'Deployment')
  const roles = deployments.map(({ spec: { template, selector } }) => {
    const [container] = template?.spec.containers ?? []
    t.is(container?.livenessProbe?.httpGet.path, '/healthz')
    t.is(container?.readinessProbe?.httpGet.path, '/readyz')
    t.true((template?.spec.terminationGracePeriodSeconds ?? 0) > Number(settings.DRAIN_SECONDS.default))
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

test('Proxies let through what the service takes', t => {
  const nginx = Number(/client_max_body_size (\d+)m/.exec(read('deploy/nginx.conf'))?.[1])
  const caddy = Number(/max_size (\d+)MB/.exec(read('deploy/Caddyfile'))?.[1])
  const largest = Number(settings.CAPTURE_MAX_BYTES.default)
  t.true(nginx * 2 ** 20 > largest && caddy * 1e6 > largest, `${nginx} ${caddy}`)
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

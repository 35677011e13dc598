import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiDocument, Schema } from '@attestor/api-reference'
import { listRoutes, resolveSchema } from '@attestor/api-reference/testing'
import { completePolicy, defaultFraudPolicy, type FraudPolicy } from '@attestor/rules'
import test from 'ava'
import { signalsBody, startBody } from '../../src/http/shapes/device_signals.ts'
import { toTransactionRequest, transactionBody } from '../../src/http/shapes/transaction_body.ts'
import { apiDocument } from '../../tools/api_document.ts'

const document = apiDocument() as ApiDocument

function bodyOf(operationId: string): Schema {
  const route = listRoutes(document.paths).find(({ operation }) => operation.operationId === operationId)
  return route?.operation.requestBody?.content['application/json']?.schema ?? {}
}

/** A body with every default that the document names, written out; objects are there for the sake of their members. */
function writeDefaults(given: Schema): unknown {
  const { schema } = resolveSchema(document, given)
  const fallback = given.default ?? schema.default
  if (fallback !== undefined) return fallback
  const members = Object.entries(schema.properties ?? {})
    .map(([name, member]) => [name, writeDefaults(member)] as const)
    .filter(([, value]) => value !== undefined)
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

const required = {
  customer_id: '0198a1c0-7e5a-7c3e-9f00-0123456789ab',
  transaction_type: 'DOCUMENT_AND_BIOMETRIC',
} as const
const url = 'https://receiver.example/hook'
const schema = transactionBody({
  baseUrl: 'https://id.example',
  checkDestination: () => null,
  defaultTtlMinutes: 60,
  embedOrigins: [],
  redirectSchemes: [],
})

function open(config: unknown) {
  return toTransactionRequest(schema.parse({ ...required, config }))
}

/** Policies that a result does not have unless somebody sets them. */
const silent = { on_other_app: 'IGNORE', on_unattested_device: 'IGNORE', on_unlocked_bootloader: 'IGNORE' } as const

test('A transaction with the document’s defaults is the one without them', t => {
  const { config } = writeDefaults(bodyOf('createTransaction')) as { config: Record<string, object> }
  t.deepEqual(Object.keys(config), [
    'webhook',
    'transaction_ttl_minutes',
    'device_policy',
    'fraud_policy',
    'document_policy',
    'embed_origins',
    'test',
  ])
  const written = open({ ...config, webhook: { ...config.webhook, url } })
  const absent = open({ webhook: { url }, test: {} })
  // Absent means every status that there is to be notified of.
  t.is(absent.webhook?.events, null)
  // The account may have a policy of its own.
  t.is(absent.fraud_policy, null)
  t.deepEqual(written, {
    ...absent,
    device_policy: { ...absent.device_policy, ...silent },
    fraud_policy: completePolicy<FraudPolicy>(defaultFraudPolicy, absent.fraud_policy),
    webhook: { url, events: written.webhook?.events ?? null },
  })
  t.deepEqual({ ...open(null).device_policy, ...silent }, written.device_policy)
  for (const nothing of [null, undefined])
    t.deepEqual(open({ transaction_ttl_minutes: nothing, test: { issues: nothing, delay_seconds: nothing } }), {
      ...open({ test: {} }),
    })
})

const accepted = Object.keys(schema.shape.config.in.unwrap().unwrap().shape)

test('A transaction keeps every member of `config` that is accepted', t => {
  const kept = accepted.map(name => (name === 'test' ? 'requested_test' : name))
  t.deepEqual(new Set(Object.keys(open(null))), new Set(['customer_id', 'transaction_type', ...kept]))
})

function readGuide(name: string): string {
  return readFileSync(join(import.meta.dirname, `../../docs/integrate/${name}.md`), 'utf8')
}

test('The guides have a row for each member of `config` and for each header of a webhook', t => {
  for (const name of accepted) t.regex(readGuide('transactions'), new RegExp(`^\\| \`${name}\\b`, 'm'), name)
  const [webhook] = listRoutes(document.webhooks)
  const headers = webhook?.operation.parameters?.map(({ name }) => name) ?? []
  t.true(headers.length >= 5)
  for (const name of headers) t.regex(readGuide('webhooks'), new RegExp(`^\\| \`${name}\` \\|`, 'm'), name)
})

test('A session that is started with the document’s defaults is the one without them; a later report has none', t => {
  const written = writeDefaults(bodyOf('startSession'))
  t.deepEqual(written, { consent: false })
  t.deepEqual(startBody.parse({}), startBody.parse(written))
  t.deepEqual(startBody.parse({ consent: null }), startBody.parse(written))
  t.is(writeDefaults(bodyOf('putSignals')), undefined)
  t.deepEqual(signalsBody.parse({}), {})
})

test('Every default is a value that its field takes, and no description repeats it', t => {
  const described: string[] = []
  const visit = (given: Schema, path: string): void => {
    const { schema: own } = resolveSchema(document, given)
    if (given.default !== undefined) {
      described.push(path)
      t.notRegex(given.description ?? '', /Default [\w`]|default is/, path)
      const words = resolveSchema(document, own.items ?? own).schema.enum
      if (words !== undefined) for (const one of [given.default].flat()) t.true(words.includes(one), path)
    }
    for (const [name, member] of Object.entries(own.properties ?? {})) visit(member, `${path}.${name}`)
  }
  for (const { operation } of listRoutes(document.paths)) {
    for (const parameter of operation.parameters ?? [])
      visit(parameter.schema, `${operation.operationId}.${parameter.name}`)
    visit(bodyOf(operation.operationId), operation.operationId)
  }
  t.true(described.length > 20, described.join())
})

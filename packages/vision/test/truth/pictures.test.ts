import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import sharp from 'sharp'
import { collect } from '../../bench/pictures/collect.ts'
import { readManifest, splitOf } from '../../bench/pictures/manifest.ts'
import { type DocumentLabel, readLabels } from '../../bench/truth/labels.ts'

const folder = new URL('../../bench/pictures/', import.meta.url)
const manifests = readdirSync(folder)
  .filter(name => name.endsWith('.json'))
  .map(name => ({ name, ...readManifest(name, readFileSync(new URL(name, folder), 'utf8')) }))

function scratch(use: (folder: string) => unknown) {
  return async () => {
    const made = mkdtempSync(join(tmpdir(), 'pictures-'))
    try {
      await use(made)
    } finally {
      rmSync(made, { recursive: true })
    }
  }
}

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    encoding: 'utf8',
  }).trim()
}

test('pictures are collected from clones with their labels, and others under their name are left out', async t => {
  await scratch(async dir => {
    const clone = join(dir, 'clones', 'some+cards')
    mkdirSync(clone, { recursive: true })
    mkdirSync(join(dir, 'into'))
    const picture = await sharp({ create: { width: 20, height: 10, channels: 3, background: '#357' } })
      .png()
      .toBuffer()
    writeFileSync(join(clone, 'card.png'), picture)
    git(clone, 'init', '-q')
    git(clone, 'add', '.')
    git(clone, 'commit', '-qm', 'a card')
    const sha256 = createHash('sha256').update(picture).digest('hex')
    const source = { repository: 'some/cards', commit: git(clone, 'rev-parse', 'HEAD'), path: 'card.png', sha256 }
    const label = { format: 'TD1', condition: 'scan', mrz_sha256: '0'.repeat(64), malformed: true }
    const entry = { source, subject: 'a card', label }
    const other = { ...entry, source: { ...source, sha256: 'f'.repeat(64) } }
    const absent = { ...entry, source: { ...source, repository: 'no/clone' } }
    const order = { clones: join(dir, 'clones'), into: join(dir, 'into') }
    const { labels, missing } = collect({ list: 'documents', pictures: [entry, other, absent] }, order)
    t.is(missing.length, 2)
    t.regex(missing[0] ?? '', /SHA-256/)
    t.is(missing[1], 'no/clone: card.png: no clone')
    writeFileSync(join(dir, 'into', 'labels.json'), JSON.stringify({ documents: labels }))
    const [found] = readLabels(join(dir, 'into')).documents as [DocumentLabel]
    t.like(found, { ...label, split: splitOf('a card'), source: { repository: 'some/cards', path: 'card.png' } })
    t.deepEqual(readFileSync(join(dir, 'into', found.front)), picture)
  })()
})

test('a manifest that breaks the form gets an error that says where', t => {
  const text = JSON.stringify({ list: 'documents', pictures: [{ source: {}, subject: '', label: {} }] })
  t.throws(() => readManifest('a.json', text), { message: /^a\.json: pictures\.0\.source\.repository: / })
})

test('each picture is listed once, and a subject lies on one side of the split', t => {
  for (const { name, pictures } of manifests) {
    const hashes = pictures.map(({ source }) => source.sha256)
    t.is(new Set(hashes).size, hashes.length, name)
  }
  t.is(splitOf('a'), 'validation')
  t.is(splitOf('c'), 'calibration')
})

test('the unseen faces are neither pictures nor people of the list that limits were set with', t => {
  const [seen, unseen] = ['faces.json', 'unseen_faces.json'].map(list => manifests.find(({ name }) => name === list))
  if (!seen || !unseen) return t.fail()
  const hashes = new Set(seen.pictures.map(({ source }) => source.sha256))
  const people = new Set(seen.pictures.map(({ subject }) => subject))
  t.deepEqual(
    unseen.pictures.filter(({ source, subject }) => hashes.has(source.sha256) || people.has(subject)),
    [],
  )
})

test('the unseen documents are no pictures of the list that limits were set with', t => {
  const [seen, unseen] = ['documents.json', 'unseen_documents.json'].map(list =>
    manifests.find(({ name }) => name === list),
  )
  if (!seen || !unseen) return t.fail()
  const hashes = new Set(seen.pictures.map(({ source }) => source.sha256))
  t.deepEqual(
    unseen.pictures.filter(({ source }) => hashes.has(source.sha256)),
    [],
  )
})

test('each person whose eyes are labelled has one neutral picture', t => {
  for (const { name, pictures } of manifests) {
    const labelled = pictures.filter(({ label }) => label.eyes !== undefined)
    for (const [person, some] of Map.groupBy(labelled, ({ label }) => label.person))
      t.is(some.filter(({ label }) => label.eyes === 'neutral').length, 1, `${name}: ${person}`)
  }
})

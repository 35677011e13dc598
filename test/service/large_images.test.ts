import { Cipheriv, Decipheriv, Hash, randomBytes } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import Database from 'better-sqlite3'
import { oneDialect, type TestEngine } from '../database.ts'
import { number } from '../raw_row.ts'
import { kyc, picture } from './client.ts'
import { openTestRig, type Rig } from './rig.ts'

const minute = 60_000
const pieceBytes = 2 ** 20

/** Returns a large image: bytes after a JPEG's end are no part of the picture. */
async function largeImage(size: number): Promise<Buffer> {
  const jpeg = await picture(5)
  return Buffer.concat([jpeg, randomBytes(size - jpeg.length)])
}

type Method = (this: unknown, ...values: never[]) => unknown

/** Records the size of the largest argument of a method, until `restore`. */
function watchSizes(owner: object, name: string, sizeOf: (values: readonly unknown[]) => number) {
  const original = Reflect.get(owner, name) as Method
  const watch = { largest: 0, restore: () => void Reflect.set(owner, name, original) }
  Reflect.set(owner, name, function (this: unknown, ...values: never[]) {
    watch.largest = Math.max(watch.largest, sizeOf(values))
    return original.apply(this, values)
  })
  return watch
}

function lengthOf(value: unknown): number {
  return value instanceof Uint8Array ? value.length : 0
}

function largestOf(values: readonly unknown[]): number {
  return Math.max(0, ...values.map(lengthOf))
}

function sumOf([values]: readonly unknown[]): number {
  return (values as readonly unknown[]).reduce((sum: number, value) => sum + lengthOf(value), 0)
}

/** Watches everything that blocks the event loop for a time that grows with its bytes. */
function watchAll(t: ExecutionContext) {
  const statement = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as object
  const watches = {
    hash: watchSizes(Hash.prototype, 'update', largestOf),
    encrypt: watchSizes(Cipheriv.prototype, 'update', largestOf),
    decrypt: watchSizes(Decipheriv.prototype, 'update', largestOf),
    concat: watchSizes(Buffer, 'concat', sumOf),
    sqlite: watchSizes(statement, 'run', largestOf),
  }
  t.teardown(() => {
    for (const { restore } of Object.values(watches)) restore()
  })
  return watches
}

async function opened(t: ExecutionContext, engine: TestEngine): Promise<Rig> {
  return openTestRig(t, engine)
}

async function countPieces(rig: Rig): Promise<number> {
  const [row] = await rig.rows('SELECT COUNT(*) AS many FROM content_pieces')
  return row === undefined ? -1 : number(row, 'many')
}

async function readImage(rig: Rig, id: string): Promise<Buffer> {
  const token = await rig.token()
  const path = `${kyc}/transaction/${id}/captures`
  const { data } = (await rig.call('GET', path, { token })).body as { data: { id: string }[] }
  const { body } = await rig.call('POST', `${path}/${data[0]?.id}/link`, { token })
  return Buffer.from(await (await fetch(String(body.url))).arrayBuffer())
}

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `

  test.serial(`${on}no step of an upload takes more than a piece of the image, and it comes back whole`, async t => {
    const rig = await opened(t, engine)
    const { id, phone } = await rig.open()
    await phone.start()
    const image = await largeImage(10_000_000)
    const watches = watchAll(t)
    t.is((await phone.upload('document/front', image)).status, 200)
    // The client that reads the image joins it in this process, too.
    watches.concat.restore()
    t.true((await readImage(rig, id)).equals(image))
    for (const [name, { largest }] of Object.entries(watches))
      t.true(largest <= pieceBytes, `${name} was given ${largest} bytes at once`)
    t.is(watches.hash.largest, pieceBytes)
    t.true(watches.encrypt.largest < 20_000, 'another thread encrypts it')
    t.is(watches.decrypt.largest, pieceBytes)
    t.true(watches.sqlite.largest < 20_000, 'another thread writes it')
    const [row] = await rig.rows(`SELECT MAX(LENGTH(piece)) AS piece, COUNT(*) AS many FROM content_pieces`)
    t.deepEqual({ ...row }, { piece: pieceBytes, many: 10 })
  })

  test.serial(
    `${on}the pieces of a retake go within a minute, and those of an erased image before its receipt`,
    async t => {
      const rig = await opened(t, engine)
      const { id, phone } = await rig.open()
      await phone.start()
      await phone.upload('document/front', await largeImage(4_000_000))
      const image = await largeImage(3_000_000)
      await phone.upload('document/front', image)
      t.is(await countPieces(rig), 4 + 3)
      await rig.advance(minute)
      t.is(await countPieces(rig), 3)
      t.true((await readImage(rig, id)).equals(image))
      t.is((await rig.call('DELETE', `${kyc}/transaction/${id}`, { token: await rig.token() })).status, 200)
      t.is(await countPieces(rig), 0)
      t.deepEqual(await rig.rows('SELECT * FROM object_removals'), [])
    },
  )
}

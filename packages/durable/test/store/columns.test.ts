import test from 'ava'
import { columnsOf } from '../../../../src/database/schema.ts'
import { listColumns, readRow, requireValue, toNullableColumns } from '../../store/columns.ts'

const columns = {
  ...columnsOf('transactions', 'id', 'created_at', 'finished_at', 'result'),
  ...toNullableColumns(columnsOf('customers', 'data_key')),
}
const row = { id: 'i', created_at: 1, finished_at: null, result: null, data_key: null, more: 'is nobody’s' }

test('A row whose columns are what they must be is read as it is, also where it has more', t => {
  t.is(readRow(columns, row).created_at, 1)
  t.is(readRow(columns, row).finished_at, null)
  const whole = { id: 'i', created_at: 1, finished_at: 2, result: new Uint8Array(1), data_key: Buffer.from('k') }
  t.deepEqual(readRow(columns, whole), whole)
})

test('A column that is absent, of another type, or null where it must not be is corruption', t => {
  const { finished_at: _, ...without } = row
  t.throws(() => readRow(columns, without), { message: 'finished_at: expected instant?, found undefined' })
  t.throws(() => readRow(columns, { ...row, id: null }), { message: 'id: expected id key, found null' })
  t.throws(() => readRow(columns, { ...row, created_at: '1' }), {
    message: 'created_at: expected instant, found string',
  })
  t.throws(() => readRow(columns, { ...row, result: 'r' }), { message: 'result: expected bytes?, found string' })
  t.throws(() => requireValue(null, 'result'), { message: 'result: expected a value, found null' })
})

test('Columns are listed as a SELECT wants them', t => {
  t.is(listColumns(columnsOf('captures', 'id', 'digest')), 'id, digest')
  t.is(listColumns(columnsOf('captures', 'id', 'digest'), 'c'), 'c.id, c.digest')
})

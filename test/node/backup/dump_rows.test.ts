import test from 'ava'
import { countDumpRows } from '../../../src/node/backup/dump_rows.ts'

const dump = [
  '/*!40101 SET NAMES utf8mb4 */;',
  'CREATE TABLE `a` (',
  '  `id` char(36) NOT NULL',
  ') ENGINE=InnoDB;',
  'INSERT INTO `a` VALUES',
  "('1',NULL,'it''s (one), \\'and\\' ;'),",
  "('2',3,'\\\\'),",
  "('3',(4),'INSERT INTO `b` VALUES (1)');",
  "INSERT INTO `b` VALUES ('x\\n),(','y'),('\0\u00ff;\\n(','z');",
  'INSERT INTO `b` VALUES (7,8);',
  "INSERT INTO other VALUES ('1');",
  '-- Dump completed',
  '',
].join('\n')

test('the rows of a dump are counted, with any text in them and in any pieces', t => {
  const bytes = Buffer.from(dump, 'latin1')
  for (const size of [1, 7, 64, bytes.length]) {
    const counted = countDumpRows()
    for (let from = 0; from < bytes.length; from += size) counted.add(bytes.subarray(from, from + size))
    t.deepEqual(counted.rows, { a: 3, b: 3 }, `${size} bytes at a time`)
  }
})

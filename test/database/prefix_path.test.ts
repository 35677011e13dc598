import { randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { findPathRange, makePrefixPath } from '../../src/database/prefix_path.ts'
import { anyText } from '../any_text.ts'

const key = randomBytes(32)

function finds(prefix: string, text: string, owner = 'a'): boolean {
  const range = findPathRange(key, 'a', prefix)
  const path = makePrefixPath(key, owner, text)
  return range !== null && path >= range[0] && path < range[1]
}

test('a text is found by how it begins, in either case, and no other text is', t => {
  fc.assert(
    fc.property(anyText({ minLength: 1, maxLength: 40 }), fc.nat(45), (text, length) => {
      const characters = [...text.normalize('NFC').toLowerCase()]
      const prefix = characters.slice(0, length).join('')
      if (finds(prefix, text) !== characters.slice(0, length).length >= 3)
        throw new Error(JSON.stringify([prefix, text]))
      if (finds(prefix, text, 'another account')) throw new Error('another owner')
      if (finds(`${prefix.slice(0, 3)}${text}x`.slice(0, 17), `${prefix.slice(0, 3)}${text}y`.slice(0, 16)))
        throw new Error('longer')
    }),
    { numRuns: 300 },
  )
  t.true(finds('MÜLLER', 'mu\u0308ller-17'))
  t.false(finds('order 2', 'order 1'))
  t.false(finds('orderly', 'order'))
  t.true(finds('a'.repeat(30), 'a'.repeat(19)), 'beyond eighteen nothing is compared')
})

test('a path says neither the text nor how long it is, and equal beginnings only where texts begin alike', t => {
  const [one, other, longer] = ['order 1', 'order 2', 'order 1 of a much longer name'].map(text =>
    makePrefixPath(key, 'a', text),
  )
  t.is(new Set([one, other, longer].map(path => path?.length)).size, 1)
  t.is(one?.slice(0, 16), other?.slice(0, 16), 'four prefixes: ord, orde, order and the space')
  t.not(one?.slice(16, 20), other?.slice(16, 20))
  t.not(makePrefixPath(key, 'a', 'order 1'), one, 'what follows the text is random')
  t.not(makePrefixPath(key, 'b', 'order 1')?.slice(0, 4), one?.slice(0, 4), 'each account has paths of its own')
})

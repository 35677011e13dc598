import test from 'ava'
import fc from 'fast-check'
import { appendMember, JsonText } from '../../src/schemas/json_text.ts'

test('A member that is added as text makes the same JSON as the object with that member', t => {
  const members = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue(), {
    minKeys: 1,
    noNullPrototype: true,
  })
  fc.assert(
    fc.property(members, fc.jsonValue(), (object, value) => {
      const text = new JsonText(JSON.stringify(value))
      t.is(appendMember(object, 'RESULT "data"', text), JSON.stringify({ ...object, 'RESULT "data"': value }))
    }),
  )
})

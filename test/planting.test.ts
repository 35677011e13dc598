import { readFileSync } from 'node:fs'
import test from 'ava'
import { coreFaults } from '../packages/durable/test/simulator/planted.ts'
import { ruleFaults } from '../packages/rules/test/planted.ts'

// The long tier alone plants the faults, so a text that was changed would be noticed weeks later.
for (const [folder, faults] of [
  ['packages/durable', coreFaults],
  ['packages/rules', ruleFaults],
] as const)
  test(`Each fault that can be planted in ${folder} has its place`, t => {
    for (const { name, file, from, to } of faults) {
      const source = readFileSync(new URL(`../${folder}/${file}`, import.meta.url), 'utf8')
      t.is(source.split(from).length, 2, `${name}: ${file}`)
      t.not(from, to, name)
    }
  })

import { hmac } from '../base/encryption.ts'
import { drawBytes } from '../base/random.ts'

/** Texts are found by their first three to eighteen characters. */
export const minPrefix = 3
const maxPrefix = 18
/** Characters of each HMAC. Each prefix of a text has one, and they add up: only the first can be another text's by chance. */
const levelChars = 4
const pathChars = (maxPrefix - minPrefix + 1) * levelChars

/** Upper and lower case are the same, and so are the ways in which Unicode composes a letter. */
function fold(text: string): readonly string[] {
  return [...text.normalize('NFC').toLowerCase()]
}

/** The HMACs of each of a text's prefixes, so that the path of a prefix is how the path of the text begins. */
function walk(key: Uint8Array, owner: string, text: string): string {
  const characters = fold(text).slice(0, maxPrefix)
  let path = ''
  for (let length = minPrefix; length <= characters.length; length++) {
    const prefix = characters.slice(0, length).join('')
    path += hmac(key, `${owner}/${length}/${prefix}`).digest('base64url').slice(0, levelChars)
  }
  return path
}

/**
 * A column by which an index finds a text that is not stored, by how it begins. It says which texts of an owner begin alike,
 * and how far, and nothing else of them: the rest is random, so that it does not say how long they are.
 */
export function makePrefixPath(key: Uint8Array, owner: string, text: string): string {
  return `${walk(key, owner, text)}${drawBytes(pathChars).toString('base64url')}`.slice(0, pathChars)
}

/** The first and the last possible path of texts that begin so; null where the prefix is too short. */
export function findPathRange(key: Uint8Array, owner: string, prefix: string): readonly [string, string] | null {
  const path = walk(key, owner, prefix)
  return path === '' ? null : [path, `${path}~`]
}

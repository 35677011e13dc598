import type { Random } from '@attestor/vision/synthetic'

/** The rules by which some languages compose names; the words are common ones, and the people invented. */
interface Custom {
  readonly firsts: string
  readonly lasts: string
  /** Words that stand before a surname. */
  readonly prefixes?: string
  /** Surnames of one person: least and most. */
  readonly surnames: readonly [number, number]
  readonly joint?: ' ' | '-'
}

const customs: readonly Custom[] = [
  {
    firsts: 'MARIA JOSE LUCIA CARLOS ELENA JAVIER CARMEN DIEGO PILAR ANDRES',
    lasts: 'GARCIA LOPEZ PEREZ GONZALEZ SANCHEZ ROMERO TORRES ALVAREZ MORENO CASTILLO ORTEGA VARGAS MOLINA',
    surnames: [2, 2],
  },
  {
    firsts: 'JOAO ANA TIAGO BEATRIZ PEDRO INES RUI CATARINA NUNO SOFIA',
    lasts: 'SILVA SANTOS PEREIRA FERREIRA OLIVEIRA COSTA RODRIGUES MARTINS ALMEIDA RIBEIRO CARVALHO NOGUEIRA',
    prefixes: 'DA DOS DE',
    surnames: [1, 4],
  },
  {
    firsts: 'JAN PIETER SANNE FLOOR DAAN LOTTE BRAM FEMKE RUBEN ANOUK',
    lasts: 'BERG DIJK VRIES JANSEN VISSER BAKKER SMIT MULDER BOS HENDRIKS DEKKER KOSTER WILLEMS',
    prefixes: 'VAN|VAN DER|DE|VAN DEN|TEN',
    surnames: [1, 2],
    joint: '-',
  },
  {
    firsts: 'ANNA LUKAS KATHRIN JONAS SABINE MORITZ HEIKE TOBIAS URSULA FELIX',
    lasts: 'MORGENSTERN KELLER SCHUSTER VOGEL WEBER ZIMMERMANN HARTWIG LINDNER BRANDT KRAUSE ALBRECHT',
    prefixes: 'VON|ZU',
    surnames: [1, 2],
    joint: '-',
  },
  {
    firsts: 'ANH THI MINH HUONG TUAN LINH DUC PHUONG QUANG THAO',
    lasts: 'NGUYEN TRAN PHAM HOANG HUYNH VO DANG BUI LY NGO',
    surnames: [1, 1],
  },
  {
    firsts: 'AHMED FATIMA OMAR LAYLA YOUSSEF AMIRA KHALID NOOR HASSAN SALMA',
    lasts: 'HASHIMI RASHID MANSOUR KHOURY NASSER QASIM FAROUK ZAYED BAKRI SULAIMAN',
    prefixes: 'AL|EL|BIN',
    surnames: [1, 2],
  },
  {
    firsts: 'IVAN OLGA PETR SVETLANA DMITRII NATALIA ALEKSEI IRINA',
    lasts: 'IVANOV SMIRNOV KUZNETSOV POPOV VOLKOV LEBEDEV KOZLOV NOVIKOV MOROZOV',
    surnames: [1, 1],
  },
  {
    firsts: 'JOHN EMILY OLIVER GRACE HENRY ALICE THOMAS RUTH',
    lasts: 'SMITH JONES TAYLOR WILLIAMS BROWN DAVIES EVANS THOMAS JOHNSON ROBERTS WALKER',
    surnames: [1, 1],
  },
]

export interface InventedName {
  readonly firsts: readonly string[]
  /** Each with its prefix, if it has one. */
  readonly lasts: readonly { readonly prefix: string; readonly word: string }[]
  readonly joint: string
}

function drawSome(random: Random, from: readonly string[], count: number): string[] {
  const left = [...from]
  return Array.from({ length: count }, () => left.splice(random.below(left.length), 1)[0] ?? '')
}

export function inventName(random: Random): InventedName {
  const custom = customs[random.below(customs.length)] ?? customs[0]
  if (custom === undefined) throw new Error('there is no custom')
  const { firsts, lasts, prefixes = '', surnames, joint = ' ' } = custom
  const [least, most] = surnames
  const listed = prefixes.includes('|') ? prefixes.split('|') : prefixes.split(' ')
  return {
    firsts: drawSome(random, firsts.split(' '), 1 + random.below(3)),
    lasts: drawSome(random, lasts.split(' '), least + random.below(most - least + 1)).map(word => ({
      prefix: random.below(2) === 0 ? '' : (listed[random.below(listed.length)] ?? ''),
      word,
    })),
    joint,
  }
}

/** Returns the name as a document has it. */
export function writeName({ firsts, lasts, joint }: InventedName): { first_name: string; last_name: string } {
  const words = lasts.map(({ prefix, word }) => (prefix === '' ? word : `${prefix} ${word}`))
  return { first_name: firsts.join(' '), last_name: words.join(joint === '-' ? ' ' : joint) }
}

type Names = { readonly first_name: string; readonly last_name: string }

function shuffle(random: Random, words: readonly string[]): string {
  return drawSome(random, words, words.length).join(' ')
}

/** Ways in which a person, or a register, spells a name differently from the document. */
export const spellings: Readonly<Record<string, (name: InventedName, random: Random) => Names>> = {
  same: writeName,
  without_prefixes: name => writeName({ ...name, lasts: name.lasts.map(one => ({ ...one, prefix: '' })) }),
  one_surname: (name, random) =>
    writeName({ ...name, lasts: name.lasts.slice(random.below(name.lasts.length)).slice(0, 1) }),
  one_given_name: (name, random) =>
    writeName({ ...name, firsts: name.firsts.slice(random.below(name.firsts.length)).slice(0, 1) }),
  other_order: (name, random) => ({
    first_name: shuffle(random, name.firsts),
    last_name: shuffle(
      random,
      name.lasts.map(({ prefix, word }) => `${prefix} ${word}`.trim()),
    ),
  }),
  hyphens: name => ({
    first_name: name.firsts.join('-'),
    last_name: name.lasts.map(({ prefix, word }) => `${prefix} ${word}`.trim()).join('-'),
  }),
  joined: name => ({
    first_name: name.firsts.join(''),
    last_name: name.lasts.map(({ prefix, word }) => `${prefix}${word}`.replaceAll(' ', '')).join(' '),
  }),
  titles: name => ({ first_name: `Dr. ${writeName(name).first_name}`, last_name: `MR ${writeName(name).last_name}` }),
  initial: ({ firsts, ...name }) =>
    writeName({ ...name, firsts: firsts.map((word, at) => (at === 0 ? word : `${word[0]}.`)) }),
  swapped: name => ({ first_name: writeName(name).last_name, last_name: writeName(name).first_name }),
  family_name_last: name => ({
    first_name: [writeName(name).last_name, ...name.firsts.slice(0, -1)].join(' '),
    last_name: name.firsts.at(-1) ?? '',
  }),
  all_in_one: name => ({
    first_name: `${writeName(name).first_name} ${writeName(name).last_name}`,
    last_name: `${writeName(name).first_name} ${writeName(name).last_name}`,
  }),
}

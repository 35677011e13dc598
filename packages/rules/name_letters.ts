/** Letters that Unicode does not decompose, as ICAO 9303-3 section 6 transliterates them. */
const transliterations: Readonly<Record<string, string>> = {
  Æ: 'AE',
  Œ: 'OE',
  Ø: 'OE',
  Å: 'AA',
  ẞ: 'SS',
  Þ: 'TH',
  Ð: 'D',
  Đ: 'D',
  Ł: 'L',
  Ħ: 'H',
  Ŋ: 'N',
  Ŧ: 'T',
  ı: 'I',
  İ: 'I',
}

/**
 * Normalises a name to capital letters and single spaces, so that all spellings of a document are equal: Müller, MUELLER,
 * MULLER and MUXXLLER. Empty for a name without a Latin letter.
 */
export function foldName(name: string): string {
  return name
    .normalize('NFC')
    .toUpperCase()
    .replace(/\P{ASCII}/gu, letter => transliterations[letter] ?? letter)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/['’ʼ`´.]/g, '')
    .replace(/[^A-Z]+/g, ' ')
    .trim()
    .replace(/XX/g, '')
    .replace(/([AOU])E/g, '$1')
    .replace(/AA/g, 'A')
    .replace(/SS/g, 'S')
}

/** The letters of `a` that match within Jaro's window, and those of `b`, each in its own order. */
function findJaroMatches(a: string, b: string): { readonly from: string; readonly to: string } {
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1)
  const taken = new Set<number>()
  let from = ''
  for (let index = 0; index < a.length; index++) {
    const end = Math.min(b.length - 1, index + reach)
    for (let at = Math.max(0, index - reach); at <= end; at++) {
      if (taken.has(at) || b[at] !== a[index]) continue
      taken.add(at)
      from += a[index]
      break
    }
  }
  return {
    from,
    to: [...taken]
      .sort((x, y) => x - y)
      .map(at => b[at])
      .join(''),
  }
}

/** Jaro-Winkler similarity of two texts, 0 to 1 (Winkler 1990; prefix of at most 4 letters, scale 0.1). */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return a === '' ? 0 : 1
  const { from, to } = findJaroMatches(a, b)
  if (from.length === 0) return 0
  const transposed = [...from].filter((letter, index) => letter !== to[index]).length / 2
  const jaro = (from.length / a.length + from.length / b.length + (from.length - transposed) / from.length) / 3
  let prefix = 0
  while (prefix < 4 && prefix < a.length && a[prefix] === b[prefix]) prefix++
  return jaro + prefix * 0.1 * (1 - jaro)
}

import { type Child, el } from '../dom.ts'
import type { Explanation } from '../shapes.ts'
import { word } from '../words.ts'
import { badge, toned } from './badges.ts'
import { facts } from './text.ts'

function listClaims(claims: readonly string[]): string {
  return claims.length === 0 ? '–' : claims.map(claim => word('data', claim)).join(', ')
}

/** The checks of the wallet's answer; a doubt comes first. */
function walletChecks({ rules }: Explanation): Child {
  const checks = rules.filter(({ rule }) => rule.startsWith('wallet_'))
  const isDoubt = ({ status }: (typeof checks)[number]): boolean => status !== 'PASSED'
  return el(
    'ul',
    { class: 'issues' },
    [...checks.filter(isDoubt), ...checks.filter(one => !isDoubt(one))].map(({ rule, status }) =>
      el('li', {}, badge('outcome', status), el('span', {}, word('rule', rule))),
    ),
  )
}

function showWallet(explanation: Explanation): Child {
  const { wallet, age } = explanation
  if (wallet === null) return age?.source === 'WALLET' && [el('h3', {}, 'Wallet'), walletChecks(explanation)]
  return [
    el('h3', {}, 'Wallet'),
    facts([
      [word('data', 'source'), word('source', 'WALLET')],
      ['Credential', [el('code', {}, wallet.credential_type), `, ${word('format', wallet.format)}`]],
      ['Issuing country', wallet.issuing_country ?? '–'],
      ['Disclosed', listClaims(wallet.disclosed)],
      ['Asked, and withheld', listClaims(wallet.withheld)],
    ]),
    walletChecks(explanation),
  ]
}

function answer({ is_over }: NonNullable<Explanation['age']>): HTMLElement {
  if (is_over === null) return toned('unsure', 'Not proven')
  return is_over ? toned('good', 'Reached') : toned('bad', 'Not reached')
}

function showAge({ age }: Explanation): Child {
  if (age === null) return null
  const source = age.source === null ? '–' : word('source', age.source)
  return [
    el('h3', {}, `Age ${age.over}`),
    facts([
      ['Answer', answer(age)],
      [word('data', 'source'), source],
    ]),
  ]
}

/** Shows the evidence that is no picture: a wallet's credential, and an age. Nothing in it is personal. */
export function proof(explanation: Explanation): Child {
  return [showAge(explanation), showWallet(explanation)]
}

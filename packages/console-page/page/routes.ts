import type { IconName } from './icons.ts'
import type { Screen } from './screen.ts'
import { showAccount } from './screens/account.ts'
import { showAccounts } from './screens/accounts.ts'
import { showAudit } from './screens/audit.ts'
import { showCharts } from './screens/charts.ts'
import { showCustomer, showCustomers } from './screens/customers.ts'
import { showKeys } from './screens/keys.ts'
import { showOperators } from './screens/operators.ts'
import { showOverview } from './screens/overview.ts'
import { showReview } from './screens/review.ts'
import { showReviews } from './screens/reviews.ts'
import { showSessions } from './screens/sessions.ts'
import { showSystem } from './screens/system.ts'
import { showTransaction } from './screens/transaction.ts'
import { showTransactions } from './screens/transactions.ts'
import { showTrustAnchors } from './screens/trust_anchors.ts'
import { showOrigin, showWebhooks } from './screens/webhooks.ts'
import type { Role } from './shapes.ts'

export interface Route {
  /** `:` stands for one part of the path. */
  readonly path: string
  readonly title: string
  readonly role: Role
  readonly screen: Screen
  /** Its entry in the navigation; null for a screen that is reached from others. */
  readonly entry: { readonly icon: IconName; readonly key: string; readonly group: string } | null
}

function entry(icon: IconName, key: string, group: string) {
  return { icon, key, group }
}

const work = 'Verification'
const operation = 'Operation'
const people = 'Administration'

export const routes: readonly Route[] = [
  { path: '/', title: 'Transactions', role: 'viewer', screen: showTransactions, entry: entry('list', 't', work) },
  { path: '/transactions/:', title: 'Transaction', role: 'viewer', screen: showTransaction, entry: null },
  { path: '/overview', title: 'Overview', role: 'viewer', screen: showOverview, entry: entry('bars', 'v', work) },
  { path: '/reviews', title: 'Reviews', role: 'viewer', screen: showReviews, entry: entry('inbox', 'r', work) },
  { path: '/reviews/:', title: 'Review', role: 'reviewer', screen: showReview, entry: null },
  { path: '/customers', title: 'Customers', role: 'viewer', screen: showCustomers, entry: entry('person', 'c', work) },
  { path: '/customers/:', title: 'Customer', role: 'viewer', screen: showCustomer, entry: null },
  { path: '/webhooks', title: 'Webhooks', role: 'viewer', screen: showWebhooks, entry: entry('send', 'w', operation) },
  { path: '/webhooks/:', title: 'Receiver', role: 'viewer', screen: showOrigin, entry: null },
  { path: '/charts', title: 'Charts', role: 'viewer', screen: showCharts, entry: entry('chart', 'h', operation) },
  { path: '/system', title: 'System', role: 'viewer', screen: showSystem, entry: entry('pulse', 's', operation) },
  {
    path: '/trust-anchors',
    title: 'Trust anchors',
    role: 'viewer',
    screen: showTrustAnchors,
    entry: entry('chip', 'p', operation),
  },
  { path: '/accounts', title: 'Accounts', role: 'admin', screen: showAccounts, entry: entry('building', 'a', people) },
  { path: '/accounts/:', title: 'Account', role: 'admin', screen: showAccount, entry: null },
  { path: '/keys', title: 'Signing keys', role: 'admin', screen: showKeys, entry: entry('key', 'k', people) },
  { path: '/operators', title: 'Operators', role: 'admin', screen: showOperators, entry: entry('shield', 'o', people) },
  { path: '/sessions', title: 'Sessions', role: 'viewer', screen: showSessions, entry: entry('out', 'e', people) },
  { path: '/audit', title: 'Audit log', role: 'admin', screen: showAudit, entry: entry('book', 'l', people) },
]

/** The route of a path, with the values of its parameters. */
export function findRoute(path: string): { readonly route: Route; readonly params: readonly string[] } | null {
  const parts = path.split('/')
  for (const route of routes) {
    const wanted = route.path.split('/')
    if (wanted.length !== parts.length) continue
    if (wanted.every((part, index) => part === ':' || part === parts[index]))
      return { route, params: parts.filter((_, index) => wanted[index] === ':') }
  }
  return null
}

import { isoTimestamp } from '../base/clock.ts'
import { readKeys } from '../keys/signing_keys.ts'
import { keysInLife, longest_notice_ms, published_before_ms, rotateWebhookKeys } from '../keys/webhook_keys.ts'
import { type Call, type Command, say, UsageError, withDatabase } from './command.ts'

const hour_ms = 3600 * 1000
const longest_notice_h = longest_notice_ms / hour_ms

const noticeOf = ({ values: { in: given } }: Call): number => {
  if (given === undefined) return published_before_ms
  const hours = Number(given)
  if (given === '' || !(hours >= 0 && hours <= longest_notice_h))
    throw new UsageError(`keys rotate: --in must be a number of hours from 0 to ${longest_notice_h}`)
  return hours * hour_ms
}

/** `attestor keys rotate`. */
export const keysRotate: Command = {
  name: 'keys rotate',
  takes: '[--in HOURS] [--json]',
  means: 'make the next webhook key, which signs in 24 hours, or in so many (two minutes at least)',
  options: { in: { type: 'string' }, json: { type: 'boolean' } },
  run: async call => {
    const notice_ms = noticeOf(call)
    const algorithm = call.config.WEBHOOK_ALGORITHM
    await withDatabase(call.config, async opened => {
      const { kid, alg, active_at } = await rotateWebhookKeys({ ...opened, algorithm }, notice_ms)
      const next = { kid, alg, active_at: isoTimestamp(active_at) }
      const words = `The next key ${kid} (${alg}) is published, and signs from ${next.active_at}.`
      say(call.values.json === true ? JSON.stringify(next) : words)
    })
  },
}

/** `attestor keys list`. */
export const keysList: Command = {
  name: 'keys list',
  takes: '',
  means: 'the webhook keys: active, next, retired (still published), withdrawn',
  options: {},
  run: async ({ config }) => {
    await withDatabase(config, async ({ store, clock, master }) => {
      for (const { key, state } of keysInLife(await readKeys(store, master, 'webhook'), clock.now())) {
        const until = key.retired_at === null ? '' : `  until ${isoTimestamp(key.retired_at)}`
        say(`${key.kid}  ${key.alg}  ${state}  from ${isoTimestamp(key.active_at)}${until}`)
      }
    })
  },
}

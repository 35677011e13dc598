import type { Context, Middleware } from 'koa'
import { unavailable } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'
import { always_answered } from './calls.ts'

/** Bytes that count as held until an answer is out. */
export interface Held {
  /** Counts fewer from now on, such as when a copy is no longer needed. */
  readonly reduceTo: (bytes: number) => void
}

/** What answers on their way out take of a node's memory. */
export interface Outgoing {
  /**
   * Counts what a call's answer takes until its response closes, in the name of an account where there is one.
   * @throws {ApiError} `unavailable` where others take the memory that there is
   */
  hold(ctx: Context, bytes: number, account_id?: string): Held
  /** Whether something is held for this call. */
  holds(ctx: Context): boolean
}

/** 10 MiB at 1 Mbit/s take 84 s: whoever reads more slowly holds the memory of others, and is cut off. */
const longest_answer_ms = 120_000

/**
 * Bounds the memory of answers that are not read yet (503 with `Retry-After` beyond it). Of one account at most half, so
 * that whoever reads nothing keeps no other account out.
 */
export const createOutgoing = (clock: Clock, max_bytes: number): Outgoing => {
  const held_by = new Map<string, number>()
  const calls = new WeakSet<object>()
  let held = 0
  const count = (account_id: string, bytes: number): void => {
    held += bytes
    const own = (held_by.get(account_id) ?? 0) + bytes
    if (own > 0) held_by.set(account_id, own)
    else held_by.delete(account_id)
  }
  return {
    hold(ctx, bytes, account_id = '') {
      // Nobody is left to read it: it is not sent, and no event will tell of its end.
      if (ctx.res.closed || ctx.req.socket.destroyed) return { reduceTo: () => {} }
      if (held + bytes > max_bytes || (held_by.get(account_id) ?? 0) + bytes > max_bytes / 2)
        throw unavailable('too many answers are on their way')
      let own = bytes
      const change = (to: number): void => {
        count(account_id, to - own)
        own = to
      }
      count(account_id, bytes)
      calls.add(ctx)
      const cancel = clock.setTimer(longest_answer_ms, () => ctx.req.socket.destroy())
      let is_out = false
      ctx.res.once('close', () => {
        cancel()
        change(0)
        is_out = true
      })
      return { reduceTo: to => is_out || change(to) }
    },
    holds: ctx => calls.has(ctx),
  }
}

/** Answers up to here are not counted: there are no more of them than connections. */
const small = 16 * 1024

const kept = new WeakSet<object>()

/** Marks what is made once and answered to whoever asks: on its way out it takes no memory of its own. */
export const keptContent = (text: string): Buffer => {
  const content = Buffer.from(text)
  kept.add(content)
  return content
}

/** What Koa would make of a body, in bytes; it is made here, as only then it is known how large it is. */
const sizeOf = (ctx: Context): number => {
  if (typeof ctx.body === 'object' && ctx.body !== null && !Buffer.isBuffer(ctx.body))
    ctx.body = JSON.stringify(ctx.body)
  if (typeof ctx.body === 'string') return Buffer.byteLength(ctx.body)
  return Buffer.isBuffer(ctx.body) && !kept.has(ctx.body) ? ctx.body.length : 0
}

/** Counts large answers that are read: a list, an export. What a write answers is small, and must not be refused once done. */
export const boundAnswers =
  (outgoing: Outgoing): Middleware =>
  async (ctx, next) => {
    await next()
    if (ctx.method !== 'GET' || outgoing.holds(ctx) || always_answered.includes(ctx.path)) return
    const bytes = sizeOf(ctx)
    if (bytes > small) outgoing.hold(ctx, bytes, ctx.state.account_id)
  }

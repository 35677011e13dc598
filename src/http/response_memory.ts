import { Readable } from 'node:stream'
import type { Context, Middleware } from 'koa'
import { unavailable } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'
import { alwaysAnswered } from './concurrency.ts'

/** Bytes that count as held until a response was sent. */
export interface HeldBytes {
  /** Counts fewer bytes from now on, for example when a copy is released. */
  readonly reduceTo: (bytes: number) => void
}

/** The memory that responses take until they were sent. */
export interface ResponseMemory {
  /**
   * Counts the bytes of a call's response until it closes, also for its account if it has one.
   * @throws {ApiError} `unavailable` if too much memory is held
   */
  hold(ctx: Context, bytes: number, accountId?: string): HeldBytes
  /** Whether something is held for this call. */
  holds(ctx: Context): boolean
}

/** 10 MiB at 1 Mbit/s take 84 s. A caller that reads more slowly is cut off: it holds the memory of others. */
const maxResponseMs = 120_000

/** One account holds at most half, so that a caller that reads nothing keeps no other account out. */
export function createResponseMemory(clock: Clock, maxBytes: number): ResponseMemory {
  const heldByAccount = new Map<string, number>()
  const calls = new WeakSet<object>()
  let held = 0
  const count = (accountId: string, bytes: number): void => {
    held += bytes
    const own = (heldByAccount.get(accountId) ?? 0) + bytes
    if (own > 0) heldByAccount.set(accountId, own)
    else heldByAccount.delete(accountId)
  }
  return {
    hold(ctx, bytes, accountId = '') {
      // The caller is gone: nothing is sent, and no event would release the bytes.
      if (ctx.res.closed || ctx.req.socket.destroyed) return { reduceTo: () => {} }
      if (held + bytes > maxBytes || (heldByAccount.get(accountId) ?? 0) + bytes > maxBytes / 2)
        throw unavailable('too many answers are on their way')
      let own = bytes
      const change = (to: number): void => {
        count(accountId, to - own)
        own = to
      }
      count(accountId, bytes)
      calls.add(ctx)
      const cancel = clock.setTimer(maxResponseMs, () => ctx.req.socket.destroy())
      let isOut = false
      ctx.res.once('close', () => {
        cancel()
        change(0)
        isOut = true
      })
      return { reduceTo: to => isOut || change(to) }
    },
    holds: ctx => calls.has(ctx),
  }
}

/** Smaller responses are not counted: there are at most as many of them as connections. */
const uncountedBytes = 16 * 1024

const sharedContents = new WeakSet<object>()

/** Marks content that is made once and sent to every caller: sending it takes no memory of its own. */
export function markShared(content: Buffer): Buffer {
  sharedContents.add(content)
  return content
}

export function createSharedContent(text: string): Buffer {
  return markShared(Buffer.from(text))
}

/** Serializes the body, which Koa would do later: its size must be known now. */
function measureBody(ctx: Context): number {
  // A stream is produced while it is sent.
  if (ctx.body instanceof Readable) return 0
  if (typeof ctx.body === 'object' && ctx.body !== null && !Buffer.isBuffer(ctx.body))
    ctx.body = JSON.stringify(ctx.body)
  if (typeof ctx.body === 'string') return Buffer.byteLength(ctx.body)
  return Buffer.isBuffer(ctx.body) && !sharedContents.has(ctx.body) ? ctx.body.length : 0
}

/** Counts large responses to reads. Responses to writes are small, and a write that was done must not return 503. */
export function limitResponseMemory(memory: ResponseMemory): Middleware {
  return async (ctx, next) => {
    await next()
    if (ctx.method !== 'GET' || memory.holds(ctx) || alwaysAnswered.includes(ctx.path)) return
    const bytes = measureBody(ctx)
    if (bytes > uncountedBytes) memory.hold(ctx, bytes, ctx.state.caller?.account_id)
  }
}

import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { readErrorCode } from 'durable-xstate-sql/sql'
import { systemClock } from '../base/clock.ts'

/** The lines that are kept for a slow reader, some thousand of them; further ones are dropped. */
const maxWaitingBytes = 2 ** 20
/** A reader that did not take everything is tried again after this long. */
const retryMs = 50
/** A program that exits waits for its reader this long, in steps. */
const lastTries = 100
const lastTryMs = 10

/**
 * Creating the socket makes the descriptor non-blocking. The socket is kept, because collecting it as garbage would
 * close the descriptor.
 */
const kept: Socket[] = []

/** A pipe opened once more, without waiting; null where that is not allowed (another user's pipe), or there is no /proc. */
function reopenPipe(): number | null {
  try {
    return openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    // Whatever the reason, the pipe itself can still be written, or says itself why not.
    return null
  }
}

/**
 * Opens stdout so that writing does not wait for its reader. A pipe is opened again, so that its other writers are not
 * affected. If that fails, it is used as it is, and writing waits for its reader.
 */
function openDescriptor(): number {
  const stdout = fstatSync(1)
  if (stdout.isSocket()) kept.push(new Socket({ fd: 1, readable: false }).unref())
  return (stdout.isFIFO() ? reopenPipe() : null) ?? 1
}

/** A reader that is slow, or a disk that is full, takes more later. */
const takesMoreLater = ['EAGAIN', 'ENOSPC', 'EDQUOT']
/** A reader or a terminal that has gone, or a file that is as large as it may be. */
const takesNoMore = ['EPIPE', 'EIO', 'EFBIG']

/** Writes as much as stdout takes; the number of bytes. What it never takes is dropped: a log stops no program. */
function writeSome(descriptor: number, bytes: Buffer): number {
  try {
    return writeSync(descriptor, bytes)
  } catch (error) {
    const code = readErrorCode(error)
    if (takesMoreLater.includes(code)) return 0
    if (takesNoMore.includes(code)) return bytes.length
    throw error
  }
}

/**
 * Stdout, with one write for all lines of one turn of the event loop. A reader of the pipe that stalls stops nothing: lines
 * wait for it in a bounded buffer, then they are dropped, and `onDropped` learns how many as soon as the reader has caught up. What
 * waits is written before the process exits, after an error too, unless the reader still stalls. Only a kill loses the
 * lines of the last turn.
 */
export function openStdout(onDropped: (lines: number) => void): (text: string) => void {
  const descriptor = openDescriptor()
  let lines = ''
  let waiting: Buffer = Buffer.alloc(0)
  let dropped = 0
  let isRetrying = false
  const writeWaiting = (): void => {
    const bytes = lines === '' ? waiting : Buffer.concat([waiting, Buffer.from(lines)])
    lines = ''
    waiting = bytes.length === 0 ? bytes : bytes.subarray(writeSome(descriptor, bytes))
  }
  const flush = (): void => {
    writeWaiting()
    if (waiting.length > 0 && !isRetrying) {
      isRetrying = true
      systemClock.setTimer(retryMs, () => {
        isRetrying = false
        flush()
      })
    }
    if (dropped > 0 && waiting.length === 0) {
      const count = dropped
      dropped = 0
      onDropped(count)
    }
  }
  process.on('exit', () => {
    const pause = new Int32Array(new SharedArrayBuffer(4))
    writeWaiting()
    for (let tries = 0; waiting.length > 0 && tries < lastTries; tries++) {
      Atomics.wait(pause, 0, 0, lastTryMs)
      writeWaiting()
    }
  })
  return text => {
    if (waiting.length + lines.length > maxWaitingBytes) {
      dropped++
      return
    }
    if (lines === '') setImmediate(flush)
    lines += text
  }
}

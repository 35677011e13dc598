/** Calls `work` now, and at most once in `pauseMs` while calls keep coming. */
export function throttle(work: () => Promise<void>, signal: AbortSignal, pauseMs = 1000): () => void {
  let isBusy = false
  let isWanted = false
  const run = async (): Promise<void> => {
    isBusy = true
    isWanted = false
    await work().catch(() => {
      // The list stays as it is; the stream's state says that it may be old.
    })
    setTimeout(() => {
      isBusy = false
      if (isWanted && !signal.aborted) void run()
    }, pauseMs)
  }
  return () => {
    isWanted = true
    if (!isBusy && !signal.aborted) void run()
  }
}

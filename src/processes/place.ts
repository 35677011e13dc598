import { residentMegabytes } from './child.ts'
import type { PoolLimits } from './limits.ts'
import type { Slot } from './slot.ts'

/** A slot, how many of its permits are taken, and by whom. */
export interface Place<Request, Answer> {
  readonly slot: Slot<Request, Answer>
  readonly owners: string[]
  taken: number
}

/** Replaces a child that keeps memory, where nothing is in it but what has `own` permits. */
export const retire = async <Q, A>(place: Place<Q, A>, { recycle_mb }: PoolLimits, own: number): Promise<void> => {
  const { slot } = place
  const child = slot.restarts()
  const [pid] = slot.pids()
  if (pid === undefined || place.taken > own) return
  const megabytes = await residentMegabytes(pid)
  if (megabytes > recycle_mb && place.taken === own && slot.restarts() === child)
    slot.replace(`kept ${Math.round(megabytes)} MB`)
}

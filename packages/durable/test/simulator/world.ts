import type Database from 'better-sqlite3'
import { drawFrom } from '../../random.ts'
import { type Claims, checkWorld, findForgotten } from './check.ts'
import { startClients } from './clients.ts'
import { createWorldRandom, type Tape, type WorldDraws } from './draws.ts'
import { createFaultCount } from './faults.ts'
import { freeRoles } from './node.ts'
import { createSchedule, type Schedule, worldStart } from './schedule.ts'
import { createServers } from './server.ts'
import { startStorm } from './storm.ts'
import { createDatabase, emptyDatabase } from './tables.ts'
import { createTransactions } from './transactions.ts'
import { drawWeather, readSkew } from './weather.ts'

/** Trouble comes until then; afterwards everything heals, and the world has to become quiet. */
const longestStormMs = 12_000
/** Most steps of a world; one that needs more waits for an event that never comes. */
const maxSteps = 20_000
const maxMs = 400_000

/** The outcome of a world: the broken promise, if any, and its history. */
export interface Outcome {
  readonly failure: string | null
  /** Whether the failure is an exception that left the world, and not a promise that was looked at. */
  readonly isException: boolean
  readonly story: readonly string[]
  readonly tape: Tape
  readonly steps: number
  /** The number of times that each kind of fault came. */
  readonly faults: ReadonlyMap<string, number>
}

/** Whether a world has failed in the end, and how. */
type Ending = Pick<Outcome, 'failure'>

let spare: Database.Database | null = null

/** Runs the world of these decisions from its beginning to its end. One at a time in a process. */
export async function runWorld(draws: WorldDraws): Promise<Outcome> {
  const schedule = createSchedule(draws.schedule)
  drawFrom(createWorldRandom(schedule.now))
  spare ??= createDatabase()
  emptyDatabase(spare)
  try {
    return await live(draws, schedule, spare)
  } finally {
    // A rejection that nobody handles is reported only when the event loop turns.
    await new Promise(resolve => setImmediate(resolve))
    schedule.end()
    freeRoles()
    drawFrom(null)
  }
}

function isTooLong(schedule: Schedule): boolean {
  return schedule.steps() > maxSteps || schedule.now() - worldStart > maxMs
}

const openSql = `SELECT (SELECT COUNT(*) FROM scheduled_jobs) + (SELECT COUNT(*) FROM parcels WHERE ended_at IS NULL)
  + (SELECT COUNT(*) FROM notices WHERE status NOT IN ('DELIVERED', 'FAILED')) AS open`

async function live(draws: WorldDraws, schedule: Schedule, database: Database.Database): Promise<Outcome> {
  const weather = drawWeather(draws.weather)
  const { isCalm, nodes, server } = weather
  const claims: Claims = {
    created: new Set(),
    accepted: new Map(),
    rejected: new Set(),
    runs: new Map(),
    skewMs: readSkew(weather),
    isCalm,
    hasRoom: weather.slots === 100,
    isKnownDenied: false,
    fault: null,
    unavailable: 0,
    contended: 0,
    races: () => servers?.races() ?? 0,
    healedAt: 0,
  }
  const transactions = createTransactions(database)
  const { counts: faults, count: countFault } = createFaultCount()
  let failure: string | null = null
  const onBroken = (broken: string): void => {
    failure ??= broken
  }
  const servers =
    server && createServers({ schedule, draws: draws.servers, transactions, onBroken, countFault, ...server })
  let tokens = 0
  const createToken = (): string => `t${tokens++}`
  const owned = database.prepare<[string], { owned: number }>(
    'SELECT COUNT(*) AS owned FROM scheduled_jobs WHERE actor_id = ?',
  )
  const storm = startStorm({
    schedule,
    draws,
    weather,
    database,
    servers,
    claims,
    createToken,
    countFault,
    onStart: ({ host }) =>
      void host.subscribe(({ id, step }) => {
        transactions.rest()
        if (step.done && owned.get(id)?.owned !== 0) onBroken(`${id} has ended, and owns timers or jobs`)
      }),
  })
  const lastRequestMs = startClients({
    schedule,
    draws: draws.clients,
    claims,
    createToken,
    listNodes: storm.listNodes,
  })

  const stormMs = isCalm ? lastRequestMs : longestStormMs
  const open = database.prepare<[], { open: number }>(openSql)
  const healInTime = (): void => {
    if (claims.healedAt > 0 || schedule.now() < worldStart + stormMs) return
    storm.heal()
    claims.healedAt = schedule.now()
  }
  /** Looks around before the time goes on. Null where it may, else how the world has ended. */
  const lookAround = (): Ending | null => {
    transactions.rest()
    if (isCalm && nodes === 1) failure ??= findForgotten(database, claims, weather.slots, schedule.now())
    if (failure !== null) return { failure }
    return claims.healedAt > 0 && open.get()?.open === 0 ? { failure: checkWorld(database, claims) } : null
  }
  const run = async (): Promise<string | null> => {
    // The timer lets the time go on to the end of the storm, even if nothing waits.
    schedule.createLife('sun').clock.setTimer(stormMs, () => {})
    for (;;) {
      healInTime()
      if (claims.healedAt === 0) storm.blow()
      if (failure !== null) return failure
      if (isTooLong(schedule)) return 'the world never becomes quiet'
      if (await schedule.act()) continue
      const ending = lookAround()
      if (ending !== null) return ending.failure
      if (!schedule.pass()) return 'nothing goes on, and something is left to do'
    }
  }
  const found = await run()
  return {
    failure: found,
    isException: false,
    story: schedule.story,
    tape: draws.tape,
    steps: schedule.steps(),
    faults,
  }
}

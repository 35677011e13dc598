/**
 * `npm run test:cluster -- [rounds] [words of a promise]`: three nodes, each on a member of its own of a Galera cluster that this starts on
 * loopback addresses, do at once what must not meet. Exits 0 only if every promise held. Needs Debian's `galera-4`,
 * `mariadb-server` and `rsync`.
 */
import { cost } from './galera_cost.ts'
import { deliveryTrials } from './galera_deliveries.ts'
import { faultTrials } from './galera_faults.ts'
import { missing } from './galera_members.ts'
import { openCluster } from './galera_nodes.ts'
import { operatorTrials } from './galera_operators.ts'
import { trials } from './galera_trials.ts'
import { wholeUnits } from './galera_whole.ts'
import { workTrials } from './galera_work.ts'
import { machine } from './measure.ts'

const rounds = Number(process.argv[2] ?? 100)
const words = process.argv[3] ?? ''

async function main(): Promise<boolean> {
  const began = performance.now()
  const cluster = await openCluster()
  let allHold = true
  try {
    console.log(`three members and nodes up after ${((performance.now() - began) / 1000).toFixed(1)} s`)
    for (const { promise, run } of [
      ...workTrials,
      ...deliveryTrials,
      ...trials,
      ...operatorTrials,
      cost,
      ...faultTrials,
      wholeUnits,
    ].filter(one => one.promise.includes(words))) {
      const { said, holds } = await run(cluster, rounds)
      console.log(`${holds ? 'holds' : 'FAILS'}: ${promise}: ${said}`)
      allHold &&= holds
      // The logs show the cause of each answer of 500.
      for (const { door } of cluster.nodes)
        for (const line of door.lines.splice(0)) if (line.level === 'error') console.log(JSON.stringify(line))
    }
  } finally {
    await cluster.close()
  }
  console.log(machine())
  return allHold
}

const absent = missing()
if (absent.length > 0) {
  console.log(`not tried: ${absent.join(', ')} not installed (Debian: apt-get install galera-4 mariadb-server rsync)`)
  process.exitCode = 1
} else process.exitCode = (await main()) ? 0 : 1

/** How fast an address is looked up among many blocks: `node bench/addresses.ts [entries]`. */
import { parseAddressList } from '../src/engines/addresses/address_ranges.ts'

const entries = Number(process.argv[2] ?? 100_000)

function addressOf(n: number): string {
  return [24, 16, 8, 0].map(shift => (Math.imul(n, 2_654_435_761) >>> shift) & 255).join('.')
}

const text = Array.from({ length: entries }, (_, n) => `${addressOf(n)}/${24 + (n % 9)}`).join('\n')
/** One in two is on the list. */
const asked = Array.from({ length: 20_000 }, (_, n) => addressOf(n % 2 === 0 ? (n * 7) % entries : entries + n * 3))

const started = process.cpuUsage()
const isListed = parseAddressList(text)
const read = process.cpuUsage(started)
const begun = process.cpuUsage()
const held = asked.filter(isListed).length
const looked = process.cpuUsage(begun)
console.log({
  entries,
  read_ms: Math.round((read.user + read.system) / 1000),
  look_up_us: (looked.user + looked.system) / asked.length,
  held,
})

/** Does a piece of work and returns the CPU milliseconds that this process spent on it. */
export async function measured<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly cpu_ms: number }> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { result, cpu_ms: Math.round((user + system) / 1000) }
}

import type { Command } from 'commander'

/** The programs that stay: what `npm start` and `npm run demo` are in this repository. */
export function addPrograms(program: Command): void {
  program
    .command('start')
    .description('run the service')
    .action(async () => void (await import('../main.ts')))
  program
    .command('demo')
    .description('run one verification end to end, with an invented person; --help has its options')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async () => {
      // It reads its options itself, and knows the service by HTTP alone.
      process.argv.splice(2, 1)
      await import(new URL('../../demo/main.ts', import.meta.url).href)
    })
}

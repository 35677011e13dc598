import type { Argument, Command, Option } from 'commander'
import { createProgram } from '../src/cli/program.ts'
import { code, table } from './tables.ts'

/** A command by its words, such as `account create`, with its arguments. */
export interface DescribedCommand {
  readonly name: string
  readonly usage: string
  readonly description: string
  /** The long flags that it takes. */
  readonly options: readonly string[]
}

function argumentUsage(argument: Argument): string {
  const name = `${argument.name().toUpperCase()}${argument.variadic ? '…' : ''}`
  return argument.required ? name : `[${name}]`
}

function optionUsage({ flags, mandatory }: Option): string {
  const usage = flags.replaceAll(/[<[]([\w-]+)[>\]]/g, (_, name: string) => name.toUpperCase())
  return mandatory ? usage : `[${usage}]`
}

function describe(command: Command, parents: readonly string[]): DescribedCommand[] {
  const path = [...parents, command.name()]
  if (command.commands.length > 0) return command.commands.flatMap(child => describe(child, path))
  const usage = [...path, ...command.registeredArguments.map(argumentUsage), ...command.options.map(optionUsage)]
  return [
    {
      name: path.slice(1).join(' '),
      usage: usage.join(' '),
      description: command.description(),
      options: command.options.flatMap(({ long }) => long ?? []),
    },
  ]
}

/** Every command of the command line, in the order of its help. */
export function describeCommands(): readonly DescribedCommand[] {
  return describe(createProgram(process), [])
}

/** A row for each command, and for each group of commands with their names. */
export function commandsTable(): string {
  return table(
    ['Command', 'With', 'To'],
    createProgram(process).commands.map(command => [
      code(command.name()),
      command.commands.map(child => code(child.name())).join(', '),
      command.description(),
    ]),
  )
}

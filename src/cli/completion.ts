import { Argument, type Command } from 'commander'
import { print } from './command.ts'

/** A word that can follow others, with what it does. */
interface Word {
  readonly word: string
  readonly description: string
}

/** What can follow the words of `path`. */
interface Node {
  readonly path: readonly string[]
  readonly words: readonly Word[]
}

const listWords = (command: Command): readonly Word[] => [
  ...command.commands.map(child => ({ word: child.name(), description: child.description() })),
  ...command.options.flatMap(({ long, description }) => (long ? [{ word: long, description }] : [])),
  ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map(word => ({ word, description })),
  ),
]

const collect = (command: Command, path: readonly string[]): readonly Node[] => [
  { path, words: listWords(command) },
  ...command.commands.flatMap(child => collect(child, [...path, child.name()])),
]

const bashCase = ({ path, words }: Node): string =>
  `    '${path.join(' ')}') words='${words.map(({ word }) => word).join(' ')}' ;;`

/** After the first two words come the options of their command. */
const bash = (nodes: readonly Node[]): string => {
  const groups = nodes.filter(({ path }) => path.length === 2).map(({ path }) => path[0])
  return `_attestor() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" words=""
  if [ "$COMP_CWORD" -gt 1 ]; then path="\${COMP_WORDS[1]}"; fi
  case "$path" in
    ${[...new Set(groups)].join('|')}) if [ "$COMP_CWORD" -gt 2 ]; then path="$path \${COMP_WORDS[2]}"; fi ;;
  esac
  case "$path" in
${nodes.map(bashCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _attestor attestor`
}

/** Zsh runs completions that are written for bash. */
const zsh = (nodes: readonly Node[]): string => `autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bash(nodes)}`

const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const fishLine = ({ path, words }: Node, { word, description }: Word): string => {
  const siblings = words.filter(one => !one.word.startsWith('--')).map(one => one.word)
  const seen = path.map(one => `__fish_seen_subcommand_from ${one}`)
  const first = path.length === 0 ? ['__fish_use_subcommand'] : []
  const last = path.length > 0 && siblings.length > 0 ? [`not __fish_seen_subcommand_from ${siblings.join(' ')}`] : []
  const condition = [...first, ...seen, ...last].join('; and ')
  const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
  return `complete -c attestor -n ${fishQuoted(condition)} ${what} -d ${fishQuoted(description)}`
}

const fish = (nodes: readonly Node[]): string =>
  nodes.flatMap(node => node.words.map(word => fishLine(node, word))).join('\n')

const shells = { bash, zsh, fish } as const

export const addCompletionCommand = (program: Command): void => {
  program
    .command('completion')
    .description('print a script with which a shell completes the commands')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .action((shell: keyof typeof shells) => print(shells[shell](collect(program, []))))
}

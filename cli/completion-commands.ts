/** `completion bash|zsh|fish`: scripts that complete commands and options, made from the list of commands. */
import type { CommandSpec } from './command.ts';
import { UsageError } from './operator-client.ts';

type Shell = 'bash' | 'fish' | 'zsh';

const SCRIPTS: Record<Shell, (entries: readonly Entry[]) => string> = { bash, fish, zsh };

/** @param commands the whole list, which contains this command */
export function completionCommands(commands: () => readonly CommandSpec[]): readonly CommandSpec[] {
  return [
    {
      name: 'completion',
      summary: 'Print a completion script for bash, zsh or fish.',
      operands: ['<shell>'],
      hasNoJson: true,
      run: async ({ operands }) => {
        const [shell = ''] = operands;
        if (!Object.hasOwn(SCRIPTS, shell)) throw new UsageError(`Expected bash, zsh or fish, not "${shell}".`);
        return { body: null, text: SCRIPTS[shell as Shell](entriesOf(commands())) };
      },
    },
  ];
}

/** What may follow after some words. */
interface Entry {
  readonly words: string;
  readonly next: readonly string[];
}

function entriesOf(commands: readonly CommandSpec[]): Entry[] {
  const next = new Map<string, Set<string>>();
  const add = (words: string, word: string) => next.set(words, (next.get(words) ?? new Set()).add(word));
  for (const command of commands) {
    const words = command.name.split(' ');
    for (const [index, word] of words.entries()) add(words.slice(0, index).join(' '), word);
    for (const option of optionsOf(command)) add(command.name, option);
  }
  return [...next].map(([words, all]) => ({ words, next: [...all] }));
}

/** The long options of a command: `--to`, `--json`. */
export function optionsOf({ options = [], hasNoJson = false }: CommandSpec): string[] {
  return [...options.map(({ flags }) => flags.split(' ')[0] ?? ''), ...(hasNoJson ? [] : ['--json']), '--help'];
}

const HEADER = '# Completions of carillon. Written by: carillon completion';

/** A shell function that prints what may follow after some words, and fails when they are no command. */
function nextWords(entries: readonly Entry[]): string {
  const cases = entries.map(({ words, next }) => `    '${words}') echo '${next.join(' ')}' ;;\n`).join('');
  return `_carillon_next() {\n  case "$1" in\n${cases}    *) return 1 ;;\n  esac\n}\n`;
}

function bash(entries: readonly Entry[]): string {
  return `${HEADER} bash
${nextWords(entries)}_carillon() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="" word next found
  found="$(_carillon_next "")"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    words="\${words:+$words }$word"
    next="$(_carillon_next "$words")" || break
    found="$next"
  done
  COMPREPLY=($(compgen -W "$found" -- "$current"))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -F _carillon carillon
`;
}

function zsh(entries: readonly Entry[]): string {
  return `#compdef carillon
${HEADER} zsh
${nextWords(entries)}_carillon() {
  local path_words="" word next found
  found="$(_carillon_next "")"
  for word in "\${(@)words[2,CURRENT-1]}"; do
    path_words="\${path_words:+$path_words }$word"
    next="$(_carillon_next "$path_words")" || break
    found="$next"
  done
  compadd -- \${(s: :)found} || _files
}
compdef _carillon carillon
`;
}

function fish(entries: readonly Entry[]): string {
  const lines = entries.map(({ words, next }) => {
    const isTop = words === '';
    const condition = isTop
      ? '__fish_use_subcommand'
      : words
          .split(' ')
          .map((word) => `__fish_seen_subcommand_from ${word}`)
          .join('; and ');
    const options = next.filter((word) => word.startsWith('--')).map((word) => `-l ${word.slice(2)}`);
    const subcommands = next.filter((word) => !word.startsWith('--'));
    return [
      ...(subcommands.length === 0 ? [] : [`complete -c carillon -n '${condition}' -f -a '${subcommands.join(' ')}'`]),
      ...options.map((option) => `complete -c carillon -n '${condition}' ${option}`),
    ].join('\n');
  });
  return `${HEADER} fish\n${lines.join('\n')}\n`;
}

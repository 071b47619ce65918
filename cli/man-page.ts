/** The man page carillon(1), made from the list of commands. */
import type { CommandSpec } from './command.ts';
import { COMMANDS } from './commands.ts';
import { EXIT_CODES } from './exit-codes.ts';

/** @returns roff, as man(7) describes it */
export function manPage(): string {
  return [
    '.\\" Written by: npm run docs:man',
    '.TH CARILLON 1 "" "Carillon" "User Commands"',
    '.SH NAME',
    'carillon \\- publish posts to many platforms at once, from the command line',
    '.SH SYNOPSIS',
    '.B carillon',
    '.I command',
    '[\\fIoperands\\fR] [\\fIoptions\\fR]',
    '.SH COMMANDS',
    ...COMMANDS.flatMap(section),
    '.SH ENVIRONMENT',
    ...item('CARILLON_URL, CARILLON_KEY', 'Install and key, in place of the stored login.'),
    ...item('CARILLON_WEBHOOK_SECRET', 'What carillon listen signs events with.'),
    ...item('OPERATOR_TOKEN', "The operator's token. Default: the one in DATA_DIR."),
    ...item('NO_COLOR', 'Print no colors.'),
    '.SH FILES',
    ...item('~/.config/carillon/login.json', 'The stored login, readable by its user only. XDG_CONFIG_HOME moves it.'),
    '.SH EXIT STATUS',
    ...Object.values(EXIT_CODES).flatMap(({ code, text }) => item(String(code), text)),
    '',
  ].join('\n');
}

function section({ name, summary, operands = [], options = [], hasNoJson = false }: CommandSpec): string[] {
  const json = hasNoJson ? [] : [{ flags: '--json', text: 'Print the answer of the API as JSON.' }];
  return [
    `.SS "${[name, ...operands].map(escape).join(' ')}"`,
    escape(summary),
    ...[...options, ...json].flatMap(({ flags, text }) => item(flags, text)),
  ];
}

function item(term: string, text: string): string[] {
  return ['.TP', `.B ${escape(term)}`, escape(text)];
}

/** Backslashes and dashes have a meaning in roff; so has a dot or quote that begins a line. */
function escape(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&');
}

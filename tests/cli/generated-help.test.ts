/** What is made from the list of commands: help, completions, the man page, the table of exit codes. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS, GROUPS } from '../../cli/commands.ts';
import { optionsOf } from '../../cli/completion-commands.ts';
import { EXIT_CODES } from '../../cli/exit-codes.ts';
import { manPage } from '../../cli/man-page.ts';
import { runCommandLine } from '../../cli/run-command-line.ts';
import type { Io } from '../../cli/io.ts';
import packageJson from '../../package.json' with { type: 'json' };
import cliPackageJson from '../../cli/package.json' with { type: 'json' };
import { temporaryFolder } from './run-cli.ts';

const root = path.join(import.meta.dirname, '..', '..');

async function printed(...args: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ['', ''];
  const output = { isTTY: false, columns: 100, drain: () => Promise.resolve() };
  const io = {
    env: {},
    stdout: { ...output, write: (text: string) => (stdout += text) },
    stderr: { ...output, write: (text: string) => (stderr += text) },
    signal: new AbortController().signal,
  };
  const exitCode = await runCommandLine(args, io as unknown as Io);
  return { exitCode, stdout, stderr };
}

it('the man page is up to date (npm run docs:man)', () => {
  expect(readFileSync(path.join(root, 'cli', 'carillon.1'), 'utf8')).toBe(manPage());
});

it('the guide has every command and exit code', () => {
  const guide = readFileSync(path.join(root, 'docs', 'guide', 'command-line.md'), 'utf8');

  expect(
    COMMANDS.map(({ name }) => name).filter(
      (name) => !guide.includes(`carillon ${name}`) && !guide.includes(`\`${name}\``),
    ),
  ).toEqual([]);
  expect(Object.values(EXIT_CODES).filter(({ code, text }) => !guide.includes(`| ${code} | ${text} |`))).toEqual([]);
});

it('each command has help, each group a line, and both packages one version', async () => {
  for (const { name, summary } of COMMANDS) {
    const { exitCode, stdout } = await printed(...name.split(' '), '--help');
    expect([exitCode, stdout.replaceAll(/\s+/g, ' ')]).toEqual([0, expect.stringContaining(summary)]);
  }
  const groups = COMMANDS.flatMap(({ name }) =>
    name
      .split(' ')
      .slice(0, -1)
      .map((_word, index, all) => all.slice(0, index + 1).join(' ')),
  );
  expect(new Set(groups)).toEqual(new Set(Object.keys(GROUPS)));
  expect(cliPackageJson.version).toBe(packageJson.version);
  expect(await printed('--version')).toEqual({ exitCode: 0, stdout: `${packageJson.version}\n`, stderr: '' });
});

it.each([[[]], [['posts']], [['nothing']], [['completion', 'powershell']]])(
  '%j is a wrong use: exit code 2',
  async (args) => {
    const { exitCode, stdout, stderr } = await printed(...args);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).not.toBe('');
  },
);

it('the completion of bash offers the commands and the options of one', async () => {
  const { stdout } = await printed('completion', 'bash');
  const script = path.join(temporaryFolder(), 'completion.bash');
  writeFileSync(script, stdout);
  const complete = (...words: string[]) => {
    const ask = `source ${script}; COMP_WORDS=(carillon ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _carillon; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', ask], { encoding: 'utf8' }).trim().split('\n');
  };

  expect(complete('pos')).toEqual(['post', 'posts']);
  expect(complete('posts', '')).toEqual(['list', 'show']);
  const post = COMMANDS.find(({ name }) => name === 'post');
  expect(complete('post', '--')).toEqual(post === undefined ? [] : optionsOf(post));
});

it.each(['zsh', 'fish'])('the completion of %s names every command and option', async (shell) => {
  const { stdout } = await printed('completion', shell);

  const words = new Set(stdout.split(/[\s'"]+/));
  const expected = COMMANDS.flatMap((command) => [
    ...command.name.split(' '),
    ...optionsOf(command).map((option) => (shell === 'fish' ? option.slice(2) : option)),
  ]);
  expect(expected.filter((word) => !words.has(word))).toEqual([]);
});

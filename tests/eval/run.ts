/**
 * `npm run eval`: the written tasks, done by a script. `npm run eval -- --base-url http://127.0.0.1:8080/v1 --model NAME`:
 * done by a model; its key, if it needs one, is read from EVAL_API_KEY.
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    /** Address of an API with OpenAI’s chat completions. */
    'base-url': { type: 'string' },
    model: { type: 'string' },
    /** Only tasks whose name contains this. */
    only: { type: 'string' },
    /** A file that gets the outcomes as JSON. */
    report: { type: 'string' },
  },
});

const { 'base-url': baseUrl, model, only, report } = values;
const env = {
  ...(baseUrl !== undefined && { EVAL_BASE_URL: baseUrl.replace(/\/$/, '') }),
  ...(model !== undefined && { EVAL_MODEL: model }),
  ...(only !== undefined && { EVAL_ONLY: only }),
  ...(report !== undefined && { EVAL_REPORT: report }),
};
const asked =
  baseUrl === undefined ? ['tests/eval/tasks.test.ts'] : ['tests/eval/model.test.ts', '-t', 'asks the model'];
const byName = baseUrl === undefined && only !== undefined ? ['-t', only] : [];
const vitest = spawn(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--reporter=verbose', ...asked, ...byName],
  { stdio: 'inherit', env: { ...process.env, ...env } },
);
vitest.on('exit', (code) => {
  process.exitCode = code ?? 1;
});

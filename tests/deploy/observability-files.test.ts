/** The alert rules and the dashboard ask for metrics and labels that an install has (docs/guide/observability.md). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { startWorld } from '../harness/world.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly w: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const rules = (parse(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const { panels } = JSON.parse(read('deploy/grafana/carillon.json')) as { panels: Panel[] };
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));
const expressions = [...rules.map(({ alert, expr }) => [alert, expr] as const), ...queries];

/** Labels that Prometheus adds to what it reads. */
const TARGET_LABELS = ['instance', 'job'];

/** The labels of each metric of an install that has served a request and run its loops, and their values. */
const series = await readSeries();

async function readSeries(): Promise<Map<string, Map<string, Set<string>>>> {
  const world = await startWorld();
  await world.rest('GET /posts');
  await world.runDue();
  const text = await (await fetch(`${world.url}/metrics`)).text();
  const found = new Map<string, Map<string, Set<string>>>();
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    const known = found.get(name) ?? new Map<string, Set<string>>();
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g))
      known.set(label, (known.get(label) ?? new Set()).add(value));
    found.set(name, known);
  }
  return found;
}

/** What an expression asks for that no install has. */
function missingIn(expression: string): string[] {
  const metrics = [...expression.matchAll(/\b(carillon_\w+)(?:\{([^}]*)\})?/g)];
  const labels = new Set([...metrics].flatMap(([, name = '']) => [...(series.get(name)?.keys() ?? [])]));
  const selected = metrics.flatMap(([, name = '', selector = '']) =>
    [...selector.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)].map(([, label = '', operator = '', value = '']) => {
      const values = [...(series.get(name)?.get(label) ?? [])];
      const isKnown = operator === '=~' ? values.length > 0 : values.includes(value);
      return isKnown ? null : `${name}{${label}${operator}"${value}"}`;
    }),
  );
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/));
  return [
    ...(metrics.length === 0 ? ['no metric of Carillon'] : []),
    ...metrics.flatMap(([, name = '']) => (series.has(name) ? [] : [name])),
    ...selected.filter((one) => one !== null),
    ...grouped.filter((label) => !labels.has(label) && !TARGET_LABELS.includes(label)),
  ];
}

it.each(expressions)('%s asks for metrics and labels that exist', (_name, expression) => {
  expect(missingIn(expression)).toEqual([]);
});

it.each(['carillon_posts_due', 'sum by (queue) (carillon_ready)', 'carillon_sends_total{outcome="lost"}', 'up == 0'])(
  'finds what is wrong in %s',
  (expression) => {
    expect(missingIn(expression)).not.toEqual([]);
  },
);

it('has a rule for each condition that an operator acts on, with what to do', () => {
  expect(rules.map(({ alert }) => alert)).toEqual([
    'CarillonMissing',
    'CarillonNotReady',
    'CarillonPostsLate',
    'CarillonPostsBacklog',
    'CarillonWorkerLoopLate',
    'CarillonOutcomeUnknown',
    'CarillonSendsFail',
    'CarillonDeliveriesFail',
    'CarillonDeliveriesBacklog',
    'CarillonWebhooksDisabled',
    'CarillonServerErrors',
    'CarillonSlowRequests',
    'CarillonEventLoopBlocked',
  ]);
  for (const { labels, annotations } of rules) {
    expect(['info', 'warning', 'critical']).toContain(labels.severity);
    expect(Object.keys(annotations)).toEqual(['summary', 'description']);
  }
});

it('has a dashboard whose panels have different ids, a legend for each query, and fit the width', () => {
  const ids = panels.map(({ id }) => id);

  expect(new Set(ids).size).toBe(ids.length);
  expect(queries.length).toBeGreaterThan(20);
  for (const { gridPos, targets = [] } of panels) {
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    for (const { legendFormat } of targets) expect(legendFormat).not.toBe('');
  }
});

it('an alert about posts that are due says what holds them after a restore', () => {
  const aboutPosts = rules.filter(({ expr }) => expr.includes('carillon_posts_overdue'));

  expect(aboutPosts.map(({ alert }) => alert)).toEqual(['CarillonPostsLate', 'CarillonPostsBacklog']);
  for (const { annotations } of aboutPosts) {
    expect(annotations.description).toContain('docs/operations.md#after-a-restore');
  }
});

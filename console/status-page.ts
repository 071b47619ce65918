/**
 * GET /status: the current and past state of the service, for people. Needs no key, and shows the data of GET
 * /health and GET /health/history.
 */
import type { RequestHandler } from 'express';
import type { Context } from '../services/context.ts';
import type { Health } from '../services/health/read-health.ts';
import type { HealthDay } from '../services/health/read-history.ts';
import { type Html, html } from './html.ts';
import { POLICIES, sendPage } from './page.ts';
import type { WithHealth } from '../services/health/cached-health.ts';

export function statusPage(context: Context & WithHealth): RequestHandler {
  return async (_request, response) => {
    const health = await context.health();
    // While the database is down there is no history, but that is when users open this page.
    const days = await context.healthHistory().catch(() => null);
    sendPage(response, 200, POLICIES.static, {
      title: `${health.status === 'ok' ? 'All is well' : 'Degraded'} - Carillon status`,
      description: 'How this Carillon is now, and how it was on each of the last 90 days.',
      current: '/status',
      layout: 'status-page',
      version: context.version,
      main: html`${present(health)} ${days === null ? noHistory() : history(days)}`,
    });
  };
}

const CHECKS = [
  ['database', 'Database'],
  ['scheduledPosts', 'Scheduled posts'],
  ['webhookDeliveries', 'Webhook deliveries'],
  ['xUsageSweep', 'Usage of X'],
  ['backups', 'Scheduled backups'],
] as const;

function present({ status, checks, time }: Health): Html {
  const isOk = status === 'ok';
  const shown = CHECKS.flatMap(([name, label]) => {
    const check = checks[name];
    return check === undefined ? [] : [{ label, isOk: check.ok }];
  });
  // Nothing else makes a service degraded whose checks are all ok.
  const isStarting = !isOk && shown.every((check) => check.isOk);
  return html`
    <h1>${isOk ? 'All is well' : 'Something is degraded'}</h1>
    <p class="lead">As of <time datetime="${time}">${time.slice(0, 10)} ${time.slice(11, 16)} UTC</time>.</p>
    ${isStarting && html`<p class="panel">The service is starting.</p>`}
    <section class="panel" aria-labelledby="checks-heading">
      <h2 id="checks-heading">Now</h2>
      <dl class="checks">
        ${shown.map(
          (check) =>
            html`<div>
              <dt>${check.label}</dt>
              <dd class="${check.isOk ? 'good' : 'bad'}">${check.isOk ? 'Works' : 'Degraded'}</dd>
            </div>`,
        )}
      </dl>
    </section>
  `;
}

function noHistory(): Html {
  return html`<p class="panel problem">The history cannot be read at present.</p>`;
}

/** Dimensions of the chart: each day is a bar followed by a gap. */
const STEP = 10;
const BAR = 7;
const HEIGHT = 60;

function history(days: readonly HealthDay[]): Html {
  const summary = summaryOf(days);
  return html`
    <section class="panel" aria-labelledby="history-heading">
      <h2 id="history-heading">The last ${days.length} days</h2>
      <svg
        class="uptime"
        viewBox="0 0 ${days.length * STEP} ${HEIGHT}"
        preserveAspectRatio="none"
        role="img"
        aria-label="${summary}"
      >
        ${days.map(
          (day, index) =>
            html`<rect class="${levelOf(day)}" x="${index * STEP}" y="0" width="${BAR}" height="${HEIGHT}" rx="2">
              <title>${day.day}: ${uptimeOf(day)}</title>
            </rect>`,
        )}
      </svg>
      <p class="ends"><span>${days[0]?.day}</span><span>today</span></p>
      <p>${summary}</p>
      <ul class="legend">
        ${LEGEND.map(([level, meaning]) => html`<li><i class="${level}" aria-hidden="true"></i>${meaning}</li>`)}
      </ul>
      <details>
        <summary>Day by day</summary>
        ${table(days)}
      </details>
    </section>
  `;
}

function table(days: readonly HealthDay[]): Html {
  return html`<table>
    <caption class="sr-only">
      Uptime of each day, the latest first
    </caption>
    <thead>
      <tr>
        <th scope="col">Day (UTC)</th>
        <th scope="col">Uptime</th>
        <th scope="col">Degraded minutes</th>
      </tr>
    </thead>
    <tbody>
      ${days.toReversed().map(
        (day) =>
          html`<tr>
            <th scope="row">${day.day}</th>
            <td>${uptimeOf(day)}</td>
            <td>${day.uptimePercent === null ? '' : day.degradedMinutes}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

const LEGEND = [
  ['whole', 'no degraded minute'],
  ['most', 'degraded for a while'],
  ['poor', 'degraded for more than an hour'],
  ['none', 'not watched yet'],
] as const;

/** A day with more degraded minutes than this is shown as bad. */
const POOR_AFTER_MINUTES = 60;

function levelOf({ uptimePercent, degradedMinutes }: HealthDay): (typeof LEGEND)[number][0] {
  if (uptimePercent === null) return 'none';
  if (degradedMinutes === 0) return 'whole';
  return degradedMinutes > POOR_AFTER_MINUTES ? 'poor' : 'most';
}

function uptimeOf({ uptimePercent }: HealthDay): string {
  return uptimePercent === null ? 'not watched yet' : `${uptimePercent.toFixed(2)} %`;
}

function summaryOf(days: readonly HealthDay[]): string {
  const watched = days.filter(({ uptimePercent }) => uptimePercent !== null);
  const hurt = watched.filter(({ degradedMinutes }) => degradedMinutes > 0);
  const minutes = hurt.reduce((sum, { degradedMinutes }) => sum + degradedMinutes, 0);
  if (hurt.length === 0) return `No degraded minute on the ${count(watched.length, 'day')} watched.`;
  return `${count(minutes, 'degraded minute')} on ${hurt.length} of the ${count(watched.length, 'day')} watched.`;
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

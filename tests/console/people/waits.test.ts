/**
 * The login throttle: how many attempts are free, how long the wait then is, and that answers reveal nothing meanwhile.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { passwordWork } from '../../../services/people/password-work.ts';
import { type Browser, type BrowserPage, openBrowser } from '../../harness/browser.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { EMAIL, OWNER_ENV, ownerLink, PASSWORD, signedInBrowser } from '../../harness/owner.ts';
import { startWorld, type World } from '../../harness/world.ts';
import { personOf } from '../../oauth/people.ts';

/** With TRUST_PROXY, tests choose the address of the client. */
const ENV = { ...OWNER_ENV, TRUST_PROXY: 'true' };

interface Try {
  readonly email?: string;
  readonly password?: string;
  readonly ip?: string;
}

/** Signs in without another GET of the page. */
async function startSignInAttempts(world: World): Promise<(what?: Try) => Promise<BrowserPage>> {
  const browser: Browser = openBrowser(world);
  const { text } = await browser.get('/sign-in');
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  return ({ email = EMAIL, password = 'wrong', ip = '192.0.2.1' } = {}) => {
    browser.cookies.delete('carillon');
    return browser.post('/sign-in', { csrf, email, password }, { 'x-forwarded-for': ip });
  };
}

async function statuses(
  times: number,
  attempt: (index: number) => Promise<Pick<BrowserPage, 'status'>>,
): Promise<number[]> {
  const all: number[] = [];
  for (let index = 0; index < times; index += 1) all.push((await attempt(index)).status);
  return all;
}

const several = (times: number, status: number) => Array.from({ length: times }, () => status);

describe('an address from one machine', () => {
  it('may be tried five times; then the right password is refused too, in the same words', async () => {
    await using world = await startWorld({ env: ENV });
    const attempt = await startSignInAttempts(world);

    expect(await statuses(5, () => attempt())).toEqual(several(5, 401));
    const wrong = await attempt();
    const right = await attempt({ password: PASSWORD });

    expect([wrong.status, right.status]).toEqual([429, 429]);
    expect(wrong.headers.get('retry-after')).toBe('30');
    expect(right.text).toBe(wrong.text);
    expect(right.text).toContain('Too many tries. Wait a minute, then try again');
    expect(right.headers.getSetCookie()).toEqual([expect.stringMatching(/^carillon-visit=/)]);
  });

  it('is the same machine whichever port a proxy adds to its address, and another machine is not', async () => {
    await using world = await startWorld({ env: ENV });
    const attempt = await startSignInAttempts(world);
    await statuses(5, (index) => attempt({ ip: `203.0.113.7:${51_234 + index}` }));

    const same = await attempt({ ip: '203.0.113.7:443' });
    const other = await attempt({ ip: '203.0.113.8:443' });

    expect([same.status, other.status]).toEqual([429, 401]);
  });

  it('waits twice as long after each further attempt, up to a quarter of an hour', async () => {
    await using world = await startWorld({ env: ENV });
    const attempt = await startSignInAttempts(world);
    await statuses(5, () => attempt());

    const waits: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      const seconds = Number((await attempt()).headers.get('retry-after'));
      waits.push(seconds);
      world.clock.advance(seconds * 1_000 - 1);
      expect((await attempt()).status).toBe(429);
      world.clock.advance(1);
      expect((await attempt()).status).toBe(401);
    }

    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900]);
  });

  it('accepts the right password after the wait, and then clears its failures', async () => {
    await using world = await startWorld({ env: ENV });
    const attempt = await startSignInAttempts(world);
    await statuses(5, () => attempt());
    world.clock.advance(30_000);

    const answer = await attempt({ password: PASSWORD });

    expect(answer.status).toBe(303);
    expect(await statuses(5, () => attempt())).toEqual(several(5, 401));
    expect((await attempt()).status).toBe(429);
  });

  it('is forgotten after a day without an attempt', async () => {
    await using world = await startWorld({ env: ENV });
    const attempt = await startSignInAttempts(world);
    await statuses(4, () => attempt());
    world.clock.advance(86_400_001);
    const later = await startSignInAttempts(world);

    expect(await statuses(5, () => later())).toEqual(several(5, 401));
  });

  it('allows no further attempts through concurrent requests', async () => {
    await using world = await startWorld({ env: ENV });
    const attempt = await startSignInAttempts(world);

    const answers = await Promise.all(several(20, 0).map(() => attempt()));

    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      ...several(5, 401),
      ...several(15, 429),
    ]);
  });

  it('is counted in the database, regardless of RATE_LIMIT_PER_MINUTE', async () => {
    await using world = await startWorld({ env: { ...ENV, RATE_LIMIT_PER_MINUTE: '100000000' } });
    const attempt = await startSignInAttempts(world);
    await statuses(5, () => attempt());

    const rows = await world.sql<{ bucket: string; failures: number }>(
      'select bucket, failures from sign_in_waits order by bucket',
    );

    expect(rows.map(({ failures }) => failures)).toEqual([5, 5, 5]);
    expect(JSON.stringify(rows)).not.toMatch(/192\.0\.2|bells/);
    expect((await attempt()).status).toBe(429);
  });
});

describe('one machine', () => {
  it('may try twenty addresses, existing or not, and then waits with all', async () => {
    await using world = await startWorld({ env: ENV });
    const attempt = await startSignInAttempts(world);

    const tried = await statuses(21, (index) => attempt({ email: `somebody-${index}@bells.example` }));

    expect(tried).toEqual([...several(20, 401), 429]);
    expect((await attempt({ password: PASSWORD })).status).toBe(429);
    expect((await attempt({ password: PASSWORD, ip: '192.0.2.2' })).status).toBe(303);
  });

  it('is a whole IPv6 /64 network', async () => {
    await using world = await startWorld({ env: ENV });
    const attempt = await startSignInAttempts(world);

    await statuses(5, (index) => attempt({ ip: `2001:db8:1:2::${index}` }));

    expect((await attempt({ ip: '2001:db8:1:2:ffff::1' })).status).toBe(429);
    expect((await attempt({ ip: '2001:db8:1:3::1' })).status).toBe(401);
  });

  it('does not clear its attempts with a sign-in in between', async () => {
    await using world = await startWorld({ env: ENV });
    const attempt = await startSignInAttempts(world);
    const others = (index: number) => attempt({ email: `somebody-${index}@bells.example` });

    await statuses(10, others);
    await attempt({ password: PASSWORD });
    const tried = await statuses(11, (index) => others(index + 10));

    expect(tried).toEqual([...several(10, 401), 429]);
  });

  it('does not wait because of a right password, and still does because of a wrong one', async () => {
    await using world = await startWorld({ env: ENV });
    const attempt = await startSignInAttempts(world);
    const other = await personOf(world, 'owner');
    await statuses(20, (index) => attempt({ email: `somebody-${index}@bells.example` }));
    world.clock.advance(30_000);

    const first = await attempt({ password: PASSWORD });
    const second = await attempt({ email: other.email, password: PASSWORD });
    const wrong = await attempt({ email: 'somebody@bells.example' });
    const third = await attempt({ password: PASSWORD });

    expect([first, second, wrong, third].map(({ status }) => status)).toEqual([303, 303, 401, 429]);
    expect(third.headers.get('retry-after')).toBe('60');
  });
});

describe('one address', () => {
  it('may be tried twenty times from all machines together, whether it exists or not', async () => {
    await using world = await startWorld({ env: ENV });
    const attempt = await startSignInAttempts(world);

    const theirs = await statuses(21, (index) => attempt({ ip: `192.0.2.${index}` }));
    const unknownEmails = await statuses(21, (index) =>
      attempt({ ip: `198.51.100.${index}`, email: 'unknown@bells.example' }),
    );

    expect(theirs).toEqual([...several(20, 401), 429]);
    expect(unknownEmails).toEqual(theirs);
    expect((await attempt({ ip: '203.0.113.1', password: PASSWORD })).status).toBe(429);
  });
});

describe('attempts while too many passwords are being checked', () => {
  /** Keeps the queue full until `end` is called. */
  function fillQueue() {
    const ended = Promise.withResolvers<void>();
    const all = Promise.all(Array.from({ length: 52 }, () => passwordWork(() => ended.promise)));
    const end = async () => {
      ended.resolve();
      await all;
    };
    onTestFinished(end);
    return end;
  }

  it('do not count', async () => {
    await using world = await startWorld({ env: ENV });
    const attempt = await startSignInAttempts(world);
    const end = fillQueue();

    expect(await statuses(6, () => attempt())).toEqual(several(6, 429));
    await end();

    expect(await statuses(6, () => attempt())).toEqual([...several(5, 401), 429]);
  });

  it('do not count either when the queue fills up while they are recorded', async (test) => {
    await using world = await startWorld({ env: ENV });
    test.skip(world.db.engine !== 'postgres');
    const attempt = await startSignInAttempts(world);
    await statuses(4, () => attempt());

    const held = await holdRows(world, 'lock table sign_in_waits in exclusive mode');
    const refused = attempt();
    await held.waiting(1, refused);
    const end = fillQueue();
    await held.release();
    expect((await refused).status).toBe(429);
    await end();

    expect(await statuses(2, () => attempt())).toEqual([401, 429]);
  });
});

describe('the current password on /owner', () => {
  it('has the same limit as the sign-in', async () => {
    await using world = await startWorld({ env: OWNER_ENV });
    const browser = await signedInBrowser(world);
    const page = await browser.get('/owner');
    const change = (password: string) =>
      browser.press(page, 'Change password', { 'Current password': password, 'New password': 'six bells at noon' });

    expect(await statuses(5, () => change('wrong'))).toEqual(several(5, 401));
    const right = await change(PASSWORD);

    expect([right.status, right.headers.get('retry-after')]).toEqual([429, '30']);
    expect((await browser.get('/owner')).status).toBe(200);
  });
});

describe('a link that replaces the password', () => {
  it('clears the failures of the address, so that the new password signs in at once', async () => {
    await using world = await startWorld({ env: OWNER_ENV });
    const signIn = async (password: string) => {
      const browser = openBrowser(world);
      return (await browser.press(await browser.get('/sign-in'), 'Sign in', { Email: EMAIL, Password: password }))
        .status;
    };
    expect(await statuses(6, async () => ({ status: await signIn('wrong') }))).toEqual([...several(5, 401), 429]);
    const [{ account_id: accountId } = { account_id: '' }] = await world.sql<{ account_id: string }>(
      'select account_id from owners',
    );
    const browser = openBrowser(world);
    const typed = { Email: EMAIL, Password: 'six bells at noon' };
    expect((await browser.press(await browser.get(await ownerLink(world, accountId)), 'Save', typed)).status).toBe(303);

    expect([await signIn(typed.Password), await signIn('wrong')]).toEqual([303, 401]);
  });
});

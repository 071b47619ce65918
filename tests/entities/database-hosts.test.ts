/** DATABASE_URL with one host and with several (docs/operations.md#several-hosts-in-database_url). */
import { describe, expect, it } from 'vitest';
import { createDatabaseHosts, parseDatabaseUrl } from '../../entities/database-hosts.ts';

describe('a URL', () => {
  it.each([
    'postgres://root@127.0.0.1:5432/test',
    'postgresql://u:p@[::1]:5432/db?sslmode=no-verify',
    'postgres://u@%2Frun%2Fpostgresql/db',
    'postgres:///db?host=/run/postgresql',
  ])('with one host is used as it is, without regard to its role: %s', (url) => {
    expect(parseDatabaseUrl(url)).toEqual({ urls: [url], target: 'any' });
  });

  it('with several hosts has a URL for each, in order, and asks for the primary', () => {
    expect(parseDatabaseUrl('postgres://u:a,b%40c@one:1,[::1]:2,three/db?sslmode=no-verify')).toEqual({
      urls: [
        'postgres://u:a,b%40c@one:1/db?sslmode=no-verify',
        'postgres://u:a,b%40c@[::1]:2/db?sslmode=no-verify',
        'postgres://u:a,b%40c@three/db?sslmode=no-verify',
      ],
      target: 'primary',
    });
  });

  it.each(['any', 'primary', 'read-write'])('names what the server must be: %s', (target) => {
    expect(parseDatabaseUrl(`postgres://a,b/db?target_session_attrs=${target}`)).toMatchObject({ target });
    expect(parseDatabaseUrl(`postgres://a/db?target_session_attrs=${target}`)).toMatchObject({ target });
  });

  it.each([
    ['mysql://a/db', 'must begin with postgres://'],
    ['postgres://a,,b/db', 'must name a host before and after each comma'],
    ['postgres://a:1,/db', 'must name a host before and after each comma'],
    ['postgres://a:1,b:x/db', 'must have hosts such as a.internal:5432,b.internal:5432'],
    ['postgres://a/db?target_session_attrs=standby', 'must have any, primary, read-write as target_session_attrs'],
  ])('is refused with a reason: %s', (url, reason) => {
    expect(() => parseDatabaseUrl(url)).toThrow(reason);
  });
});

describe('the hosts of a process', () => {
  it('stay with the server in use until a connection leaves it, and turn once for all connections that leave it', () => {
    const hosts = createDatabaseHosts(parseDatabaseUrl('postgres://a,b/db'));
    const [a, b] = hosts.address.urls;
    expect(hosts.current()).toBe(a);

    hosts.leave(a);
    hosts.leave(a);

    expect(hosts.current()).toBe(b);
    hosts.leave(b ?? '');
    expect(hosts.current()).toBe(a);
  });
});

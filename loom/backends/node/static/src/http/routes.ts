import type { Context, Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import { methodNotAllowed, noSuchRoute } from './problems.js';
import type { HttpEnvironment } from './requests.js';

const ANY_METHOD = 'ALL';

/** The pattern that a request matched, such as `/api/things/{id}`. */
export function routePattern(c: Context): string {
  const route = matchedRoutes(c).findLast(({ method }) => method !== ANY_METHOD);
  return route?.path.replaceAll(/:(\w+)/g, '{$1}') ?? 'unmatched';
}

/** Refuses a request that no route takes: with 405 when another method would do, else with 404. */
export function refuseUnrouted(app: Hono<HttpEnvironment>, c: Context): never {
  const allowed = app.routes
    .filter(({ method, path }) => method !== ANY_METHOD && matches(path, c.req.path))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  if (allowed.length === 0) throw noSuchRoute();
  throw methodNotAllowed(c.req.method, [...new Set(allowed)].sort());
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split('/');
  const actual = path.split('/');
  return (
    expected.length === actual.length &&
    expected.every((part, index) => (part.startsWith(':') ? actual[index] : part === actual[index]))
  );
}

import type { Context, Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type ClientError, methodNotAllowed, noSuchRoute } from './problems.js';
import type { HttpEnvironment } from './requests.js';

const ANY_METHOD = 'ALL';

/** The pattern that a request matched, such as `/api/things/{id}`. */
export function routePattern(c: Context): string {
  const route = matchedRoutes(c).findLast(({ method }) => method !== ANY_METHOD);
  return route?.path.replaceAll(/:(\w+)/g, '{$1}') ?? 'unmatched';
}

/** What a request is refused with that no route takes: 405 when another method would do, else 404. */
export function unrouted(app: Hono<HttpEnvironment>, c: Context): ClientError {
  const allowed = app.routes
    .filter(({ method, path }) => method !== ANY_METHOD && matches(path, c.req.path))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  if (allowed.length === 0) return noSuchRoute();
  return methodNotAllowed(c.req.method, [...new Set(allowed)].sort());
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split('/');
  const actual = path.split('/');
  return (
    expected.length === actual.length &&
    expected.every((part, index) => (part.startsWith(':') ? actual[index] : part === actual[index]))
  );
}

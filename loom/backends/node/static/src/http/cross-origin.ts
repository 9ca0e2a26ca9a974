import type { Context, MiddlewareHandler } from 'hono';
import { REQUEST_ID } from './requests.js';

const METHODS = 'DELETE, GET, HEAD, POST';

const PREFLIGHT = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers';

/** What scripts of other origins may ask of the service. */
export function crossOrigin(origins: readonly string[]): MiddlewareHandler {
  return async (c, next) => {
    if (isPreflight(c)) c.res = preflight(c);
    else await next();
    const origin = c.req.header('origin');
    const { headers } = c.res;
    if (!headers.has('vary')) headers.set('vary', 'Origin');
    if (origin === undefined || !['*', origin].some((allowed) => origins.includes(allowed))) return;
    headers.set('access-control-allow-origin', origins.includes('*') ? '*' : origin);
    if (!isPreflight(c)) headers.set('access-control-expose-headers', `ETag, ${REQUEST_ID}`);
  };
}

/** OPTIONS by which a browser asks about another request; no route takes other ones. */
function isPreflight({ req }: Context): boolean {
  const asked = [req.header('origin'), req.header('access-control-request-method')];
  return req.method === 'OPTIONS' && !asked.includes(undefined);
}

/** An answer without a body: the browser refuses what its headers leave out. */
function preflight({ req }: Context): Response {
  const headers = new Headers({
    vary: PREFLIGHT,
    'access-control-allow-methods': METHODS,
    'access-control-max-age': '600',
  });
  const asked = req.header('access-control-request-headers');
  if (asked !== undefined) headers.set('access-control-allow-headers', asked);
  return new Response(null, { status: 204, headers });
}

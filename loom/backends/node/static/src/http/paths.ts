import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { getPath } from 'hono/utils/url';

/** Scheme and host, which a request may name before the path. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?]*/i;

const targets = new WeakMap<object, string>();

/** The request with a URL that has its query alone, so that none is too odd to be one; what was sent is kept. */
export function aimed(incoming: IncomingMessage): IncomingMessage {
  const target = incoming.url ?? '';
  const [, query] = target.split(/\?(.*)/s, 2);
  targets.set(incoming, target);
  incoming.url = query === undefined ? '/' : `/?${query.replaceAll('#', '%23')}`;
  incoming.headers.host = 'service';
  return incoming;
}

/** The path as it was sent, without the query. */
export function sentPath(c: Context): string {
  return pathOf(c.env.incoming);
}

export function pathOf(incoming: HttpBindings['incoming']): string {
  const [path = ''] = sentTarget(incoming).split('?', 1);
  return path;
}

/** The path by which routes are found: as it was sent, where a URL would have resolved its dots. */
export function routedPath(request: Request, options?: { env?: HttpBindings }): string {
  if (options?.env === undefined) return getPath(request);
  const target = sentTarget(options.env.incoming).replaceAll('#', '%23');
  const url = `http://service${target.startsWith('/') ? '' : '/'}${target}`;
  // Of the request, only its URL is read.
  return getPath({ url } as Request);
}

function sentTarget(incoming: HttpBindings['incoming']): string {
  const target = targets.get(incoming) ?? incoming.url ?? '';
  const [origin = ''] = ORIGIN.exec(target) ?? [];
  const path = target.slice(origin.length);
  return origin !== '' && !path.startsWith('/') ? `/${path}` : path;
}

import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { getPath } from 'hono/utils/url';

/** Scheme and host, which a request may name before the path. */
const ORIGIN = /^[a-z]+:\/\/[^/]*/i;

/** The path as it was sent, without the query. */
export function sentPath(c: Context): string {
  const [path = ''] = sentTarget(c.env).split('?', 1);
  return path;
}

/** The path by which routes are found: as it was sent, where a URL would have resolved its dots. */
export function routedPath(request: Request, options?: { env?: HttpBindings }): string {
  if (options?.env === undefined) return getPath(request);
  const url = `http://service${sentTarget(options.env)}`;
  // Of the request, only its URL is read.
  return getPath({ url } as Request);
}

function sentTarget({ incoming }: HttpBindings): string {
  return (incoming.url ?? '').replace(ORIGIN, '');
}

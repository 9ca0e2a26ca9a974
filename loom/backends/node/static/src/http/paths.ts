import type { Context } from 'hono';

/** The path as it was sent, without the query. */
export function sentPath(c: Context): string {
  const { url } = c.req;
  const [path = ''] = url.slice(url.indexOf('/', url.indexOf('://') + 3)).split('?', 1);
  return path;
}

import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { Hono } from 'hono';
import type { Connection } from '../db/client.js';
import { errorText, log } from '../observability/log.js';
import { registry } from '../observability/metrics.js';
import { respondJson } from './responses.js';

const ROOT = new URL('../../', import.meta.url);

/** What a platform asks of a service: is it alive, is it ready, how is it doing, what can it do. */
export function infrastructureRoutes(
  db: Connection,
  isStopping: () => boolean,
  showsDocs: boolean,
) {
  const openapi = readFileSync(new URL('openapi.json', ROOT), 'utf8');
  const docs = readFileSync(new URL('public/docs.html', ROOT), 'utf8');
  const routes = new Hono();
  let isDegraded = false;

  routes.get('/health', (c) => respondJson(c, { status: 'ok' }));

  routes.get('/ready', async (c) => {
    if (isStopping()) {
      return respondJson(c, { status: 'unavailable' }, 503);
    }
    if (!(await answers(db))) {
      isDegraded = true;
      return respondJson(c, { status: 'unavailable' }, 503);
    }
    if (isDegraded) {
      isDegraded = false;
      log.info({ event: 'health_ok' });
    }
    return respondJson(c, { status: 'ready' });
  });

  routes.get('/metrics', async (c) =>
    c.body(await registry.metrics(), 200, { 'content-type': registry.contentType }),
  );

  routes.get('/openapi.json', (c) => c.body(openapi, 200, { 'content-type': 'application/json' }));

  if (showsDocs) {
    routes.get('/docs', (c) => c.body(docs, 200, { 'content-type': 'text/html; charset=utf-8' }));
  }

  return routes;
}

async function answers(db: Connection): Promise<boolean> {
  try {
    await db.execute(sql`SELECT 1`);
    return true;
  } catch (error) {
    log.warn({ event: 'health_degraded', error: errorText(error) });
    return false;
  }
}

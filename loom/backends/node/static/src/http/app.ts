import { Hono } from 'hono';
import { uuidv7 } from 'uuidv7';
import type { Connection } from '../db/client.js';
import type { EventDispatcher } from '../events/dispatcher.js';
import { runInFrame } from '../frame.js';
import { log } from '../observability/log.js';
import { httpRequestDuration, httpRequests } from '../observability/metrics.js';
import type { Settings } from '../settings.js';
import { crossOrigin } from './cross-origin.js';
import { handleError } from './errors.js';
import { apiRoutes } from './index.js';
import { infrastructureRoutes } from './infrastructure.js';
import { routedPath, sentPath } from './paths.js';
import { type HttpEnvironment, REQUEST_ID } from './requests.js';
import { routePattern, unrouted } from './routes.js';

/** Those that metrics tell apart; anybody can make up others. */
const METHODS = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

const USABLE_ID = /^[\x21-\x7e]{1,128}$/;

export interface Dependencies {
  readonly db: Connection;
  readonly events: EventDispatcher;
  readonly settings: Settings;
  readonly isStopping: () => boolean;
}

/** The whole HTTP surface of the service. */
export function createApp({ db, events, settings, isStopping }: Dependencies) {
  const app = new Hono<HttpEnvironment>({ getPath: routedPath });
  const { bodyLimit, requestSeconds, corsOrigins, showsDocs } = settings;

  app.use(async (c, next) => {
    const received = c.req.header(REQUEST_ID) ?? '';
    const requestId = USABLE_ID.test(received) ? received : uuidv7();
    await runInFrame({ requestId, startedAt: new Date() }, async () => {
      c.set('bodyLimit', bodyLimit);
      c.set('requestSeconds', requestSeconds);
      await next();
      c.res.headers.set(REQUEST_ID, requestId);
      if (isStopping()) c.res.headers.set('connection', 'close');
    });
  });

  app.use(async (c, next) => {
    const { method } = c.req;
    const path = sentPath(c);
    const startedAt = performance.now();
    log.info({ event: 'request_start', method, path });
    await next();
    const duration = performance.now() - startedAt;
    const { status } = c.res;
    const labels = { method: METHODS.has(method) ? method : 'OTHER', route: routePattern(c) };
    httpRequests.inc({ ...labels, status });
    httpRequestDuration.observe(labels, duration / 1000);
    log.info({
      event: 'request_end',
      method,
      path,
      status,
      duration_ms: Math.round(duration * 10) / 10,
    });
  });

  app.use(crossOrigin(corsOrigins));

  app.route('/', infrastructureRoutes(db, isStopping, showsDocs));
  app.route('/api', apiRoutes(db, events));
  app.notFound((c) => handleError(unrouted(app, c), c));
  app.onError(handleError);

  return app;
}

import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createDatabase, createPool } from './db/client.js';
import { MigrationError, migrate } from './db/migrations.js';
import { createInProcessDispatcher } from './events/dispatcher.js';
import { createApp } from './http/app.js';
import { createServiceServer } from './http/server.js';
import { errorText, log } from './observability/log.js';
import { SERVICE } from './service.js';
import { readSettings, SettingsError } from './settings.js';

const CONNECT_ATTEMPTS = 30;
const STOPS = ['SIGINT', 'SIGTERM'] as const;

/** A database that does not answer, for all that was tried. */
class UnreachableError extends Error {}

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  log.level = settings.logLevel;
  log.info({ event: 'server_starting', service: SERVICE.name });
  for (const stop of STOPS) process.on(stop, stopEarly);
  const pool = createPool(settings);
  await waitForDatabase(pool);
  await migrate(pool, new URL('../migrations/', import.meta.url));

  let isStopping = false;
  const app = createApp({
    db: createDatabase(pool),
    events: createInProcessDispatcher(),
    settings,
    isStopping: () => isStopping,
  });
  const server = createServiceServer(app, settings.requestSeconds);
  server.listen(settings.port);
  await once(server, 'listening');
  log.info({ event: 'server_listening', port: settings.port });

  for (const stop of STOPS) process.off(stop, stopEarly);
  await toldToStop();
  isStopping = true;
  log.info({ event: 'server_shutdown' });
  // Whoever has not seen yet that the service is unready still sends it requests, until told again.
  const unnoticed = setTimeout(settings.drainSeconds * 1_000, undefined, { ref: false });
  await Promise.race([unnoticed, toldToStop()]);
  // Requests that have begun are answered; connections that wait for one are closed.
  const answered = new Promise((closed) => server.close(closed));
  const late = setTimeout(settings.graceSeconds * 1_000).then(() => server.abandon());
  await Promise.race([answered.then(() => pool.end()), late.then(() => answered)]);
  log.info({ event: 'db_disconnected' });
  log.info({ event: 'server_drained' });
  // What was not answered in time goes with the process.
  process.exit();
}

function toldToStop(): Promise<unknown> {
  return Promise.race(STOPS.map((stop) => once(process, stop)));
}

/** Ends a service that does not listen yet. */
function stopEarly(): void {
  log.info({ event: 'server_shutdown' });
  process.exit();
}

/** The database may start after the service. */
async function waitForDatabase(pool: Pool): Promise<void> {
  log.info({ event: 'db_connecting' });
  for (let attempt = 1; ; attempt += 1) {
    try {
      await pool.query('SELECT 1');
      break;
    } catch (error) {
      if (attempt === CONNECT_ATTEMPTS) throw new UnreachableError(errorText(error));
      log.warn({ event: 'db_error', error: errorText(error) });
      await setTimeout(1_000);
    }
  }
  log.info({ event: 'db_connected' });
}

function report(error: unknown): void {
  if (error instanceof SettingsError) {
    for (const [setting, refusal] of error.refusals) {
      log.error({ event: 'internal_error', setting, error: refusal });
    }
  } else if (error instanceof MigrationError) {
    log.error({ event: 'migration_failed', migration: error.migration, error: error.message });
  } else if (error instanceof UnreachableError) {
    log.error({ event: 'db_error', error: error.message });
  } else {
    log.error({ event: 'internal_error', error: errorText(error) });
  }
}

try {
  await main();
} catch (error) {
  report(error);
  process.exitCode = 1;
}

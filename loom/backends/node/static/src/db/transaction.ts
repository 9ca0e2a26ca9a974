import type { PgTransactionConfig } from 'drizzle-orm/pg-core';
import { deferredDispatcher, type EventDispatcher } from '../events/dispatcher.js';
import { errorText, log } from '../observability/log.js';
import type { Connection } from './client.js';
import { retryableState } from './errors.js';

const ATTEMPTS = 4;

type Work<Result> = (connection: Connection, events: EventDispatcher) => Promise<Result>;

/** Runs `work` in one transaction; its events are dispatched once it has committed. */
export async function inTransaction<Result>(
  db: Connection,
  events: EventDispatcher,
  work: Work<Result>,
  config?: PgTransactionConfig,
): Promise<Result> {
  const deferred = deferredDispatcher(events);
  const result = await db.transaction((tx) => work(tx, deferred), config);
  await deferred.release();
  return result;
}

/** The same, run again from the start when another transaction got in the way. */
export async function inRetriedTransaction<Result>(
  db: Connection,
  events: EventDispatcher,
  work: Work<Result>,
  config?: PgTransactionConfig,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(db, events, work, config);
    } catch (error) {
      const sqlstate = retryableState(error);
      if (attempt === ATTEMPTS || sqlstate === undefined) throw error;
      log.warn({ event: 'tx_retry', attempt, sqlstate, error: errorText(error) });
    }
  }
}

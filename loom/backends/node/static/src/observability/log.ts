import { inspect } from 'node:util';
import pino from 'pino';
import { currentRequestId } from '../frame.js';

/** Writes one JSON line per event: `{level, time, request_id, event, …fields}`; the settings give its level. */
export const log = pino({
  level: 'info',
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  mixin: () => {
    const requestId = currentRequestId();
    return requestId === undefined ? {} : { request_id: requestId };
  },
});

/** The text of anything that was thrown, with its causes and what the database says of it. */
export function errorText(error: unknown): string {
  return error instanceof Error ? inspect(error) : String(error);
}

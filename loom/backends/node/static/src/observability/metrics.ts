import { Counter, Histogram, Registry } from 'prom-client';
import { log } from './log.js';

export const registry = new Registry();

export const httpRequests = new Counter({
  name: 'http_requests_total',
  help: 'Requests answered.',
  labelNames: ['method', 'route', 'status'],
  registers: [registry],
});

export const httpRequestDuration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the first byte of a request to its answer.',
  labelNames: ['method', 'route'],
  registers: [registry],
});

export const domainOperations = new Counter({
  name: 'domain_operations_total',
  help: 'Operations that were carried out.',
  labelNames: ['aggregate', 'op'],
  registers: [registry],
});

export const domainFaults = new Counter({
  name: 'domain_faults_total',
  help: 'Requests that were refused, by the kind of refusal.',
  labelNames: ['kind'],
  registers: [registry],
});

/** Logs and counts an operation that was carried out and committed. */
export function countOperation(aggregate: string, op: string, id: string): void {
  domainOperations.inc({ aggregate, op });
  log.info({ event: 'operation_invoked', aggregate, op, id });
}

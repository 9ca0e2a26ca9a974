// Runs inside a generated Node service: prints what the functions of the module `batch` give, as JSON.
import { writeSync } from 'node:fs';
import { CASES, NOW } from './batch.js';
import { DomainError } from './src/domain/errors.js';
import { Decimal } from './src/domain/values/decimals.js';
import { runInFrame } from './src/frame.js';

const NUMBERS = ['int', 'duration'];
const DECIMALS = ['decimal', 'money'];
const TEXTS = ['string', 'enum'];

function show(value: any, kind: any): unknown {
  if (kind[0] === 'optional') return value === null ? null : show(value, kind[1]);
  if (kind[0] === 'list' && Array.isArray(value)) return value.map((item) => show(item, kind[1]));
  if (kind[0] === 'object' && value?.constructor === Object) {
    return Object.fromEntries(kind[1].map(([name, spelled, inner]: any) => [name, show(value[spelled], inner)]));
  }
  if (NUMBERS.includes(kind) && Number.isSafeInteger(value)) return String(value);
  if (kind === 'long' && typeof value === 'bigint') return String(value);
  if (DECIMALS.includes(kind) && value instanceof Decimal) return value.toFixed();
  if (kind === 'datetime' && value instanceof Date) return String(value.getTime());
  if (TEXTS.includes(kind) && typeof value === 'string') return value;
  if (kind === 'bool' && typeof value === 'boolean') return value;
  throw new TypeError(`${String(value)} where ${kind} was expected`);
}

function outcome(compute: () => unknown, kind: unknown): unknown {
  try {
    return show(compute(), kind);
  } catch (error) {
    if (error instanceof DomainError) return { refusal: error.message };
    return { error: String(error) };
  }
}

const frame = { requestId: 'request', startedAt: new Date(NOW) };
const outcomes = runInFrame(frame, () => CASES.map(([compute, kind]: any) => outcome(compute, kind)));
writeSync(1, JSON.stringify(outcomes));

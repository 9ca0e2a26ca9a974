import { z } from 'zod';
import { Decimal } from '../domain/values/decimals.js';
import { parseInstant } from '../domain/values/instants.js';
import { isPlain, JsonNumber } from '../json.js';

const INTEGER = /^-?\d+$/;

const MONEY = /^-?\d+(\.\d{1,4})?$/;

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** PostgreSQL stores no NUL, and a lone surrogate is no character. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

const LARGEST_DECIMAL = new Decimal('9999999999999999.999999999999');

const LARGEST_MONEY = new Decimal('999999999999999.9999');

type Reading<Value> = (value: unknown) => Value | undefined;

/** What is said of a value that is not there, is null, or is not what `expected` says. */
function wording(value: unknown, expected: string): string {
  if (value === undefined) return 'is required';
  return value === null ? 'must not be null' : expected;
}

/** A schema that reads one JSON value, or says what it should have been. */
function scalar<Value>(read: Reading<Value>, expected: string) {
  return z.unknown().transform((value, context): Value => {
    const result = read(value);
    if (result !== undefined) return result;
    context.addIssue({ code: 'custom', message: wording(value, expected) });
    return z.NEVER;
  });
}

function readInteger(value: unknown): bigint | undefined {
  return value instanceof JsonNumber && INTEGER.test(value.text) ? BigInt(value.text) : undefined;
}

function integer(min: bigint, max: bigint) {
  return scalar(readInteger, 'must be an integer').refine((value) => min <= value && value <= max, {
    error: `must be between ${min} and ${max}`,
    abort: true,
  });
}

export const int64 = integer(-(2n ** 63n), 2n ** 63n - 1n);

/** An int32 within bounds of its own, such as a page number. */
export function int32Between(min: number, max: number) {
  return integer(BigInt(min), BigInt(max)).transform(Number);
}

export const int32 = int32Between(-(2 ** 31), 2 ** 31 - 1);

/** Numbers up to `largest`, whatever their sign. */
function within(schema: z.ZodType<Decimal>, largest: Decimal) {
  return schema.refine((value) => value.abs().lessThanOrEqualTo(largest), {
    error: `must be between -${largest.toFixed()} and ${largest.toFixed()}`,
    abort: true,
  });
}

export const decimal = within(scalar(readDecimal, 'must be a number'), LARGEST_DECIMAL).refine(
  (value) => value.decimalPlaces() <= 12,
  { error: 'must have at most 12 decimal places' },
);

function readDecimal(value: unknown): Decimal | undefined {
  return value instanceof JsonNumber ? unsigned(new Decimal(value.text)) : undefined;
}

/** An amount of money: a string, so that no client reads it through a float. */
export const money = within(
  scalar(
    (value) =>
      typeof value === 'string' && MONEY.test(value) ? unsigned(new Decimal(value)) : undefined,
    'must be a decimal string with at most 4 places',
  ),
  LARGEST_MONEY,
);

/** Zero has no sign. */
function unsigned(value: Decimal): Decimal {
  return value.isZero() ? value.abs() : value;
}

export const string = scalar(
  (value) => (typeof value === 'string' && !UNSTORABLE.test(value) ? value : undefined),
  'must be a string',
);

export const boolean = scalar(
  (value) => (typeof value === 'boolean' ? value : undefined),
  'must be true or false',
);

export const datetime = scalar(
  (value) => (typeof value === 'string' ? parseInstant(value) : undefined),
  'must be a date-time with offset',
);

/** Any JSON value that can be stored: of its texts and its numbers, the first that cannot is told. */
export const json = z.unknown().transform((value, context): unknown => {
  const message = value === undefined || value === null ? wording(value, '') : storageFault(value);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
  return value;
});

function storageFault(value: unknown): string | undefined {
  if (typeof value === 'string') return UNSTORABLE.test(value) ? 'must be a string' : undefined;
  if (value instanceof JsonNumber) return isPlain(value) ? undefined : 'must be a number';
  if (typeof value !== 'object' || value === null) return undefined;
  const inside = Array.isArray(value) ? value : Object.entries(value).flat();
  for (const item of inside) {
    const message = storageFault(item);
    if (message !== undefined) return message;
  }
  return undefined;
}

/** A UUID in lower case, typed as the id of one kind of thing. */
export function id<Id extends string>() {
  return scalar(
    (value) =>
      typeof value === 'string' && UUID.test(value) ? (value.toLowerCase() as Id) : undefined,
    'must be a UUID',
  );
}

export const guid = id<string>();

export function oneOf<const Value extends string>(...values: readonly Value[]) {
  return scalar(
    (value) => values.find((known) => known === value),
    `must be one of {${values.join(', ')}}`,
  );
}

export function arrayOf<Element extends z.ZodType>(element: Element) {
  return z.array(element, { error: ({ input }) => wording(input, 'must be an array') });
}

/** An object with these members; others are ignored. */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
  return scalar(
    (value) => (isObject(value) ? ownMembers(value) : undefined),
    'must be an object',
  ).pipe(z.object(shape));
}

/** Without what every object inherits: `toString` is a member only if it was sent. */
export function ownMembers(value: object): object {
  return Object.assign(Object.create(null), value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isListOrNumber(value);
}

function isListOrNumber(value: object): boolean {
  return Array.isArray(value) || value instanceof JsonNumber;
}

/** Absent and null are the same, and come out as null. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? null);
}

/** Absent and null are the same, and come out as an empty list. */
export function emptyIfAbsent<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? []);
}

/** A scalar of a path or a query, where everything arrives as text. */
export function fromText<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess(
    (text) => (typeof text === 'string' && JSON_NUMBER.test(text) ? new JsonNumber(text) : text),
    schema,
  );
}

export function flagFromText() {
  return z.preprocess(
    (text) => (text === 'true' ? true : text === 'false' ? false : text),
    boolean,
  );
}

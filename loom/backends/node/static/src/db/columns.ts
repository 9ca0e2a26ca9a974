import { customType } from 'drizzle-orm/pg-core';
import { Decimal, moneyText } from '../domain/values/decimals.js';
import { writeJson } from '../json.js';

/** NUMERIC(28,12), read without a detour through a float. */
export const decimal = customType<{ data: Decimal; driverData: string }>({
  dataType: () => 'numeric(28, 12)',
  fromDriver: (text) => new Decimal(text),
  toDriver: (value) => value.toFixed(),
});

/** DECIMAL(19,4). */
export const money = customType<{ data: Decimal; driverData: string }>({
  dataType: () => 'numeric(19, 4)',
  fromDriver: (text) => new Decimal(text),
  toDriver: moneyText,
});

/** TIMESTAMPTZ(3); sessions speak UTC, so the server's text ends in `+00`. */
export const instant = customType<{ data: Date; driverData: string }>({
  dataType: () => 'timestamptz(3)',
  fromDriver: (text) => new Date(text.replace(' ', 'T').replace('+00', 'Z')),
  toDriver: (value) => value.toISOString(),
});

/** JSONB, its numbers as they were written (see client.ts). */
export const json = customType<{ data: unknown; driverData: unknown }>({
  dataType: () => 'jsonb',
  toDriver: writeJson,
});

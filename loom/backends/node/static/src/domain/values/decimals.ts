import { Decimal as DecimalNumber } from 'decimal.js';
import { DomainError } from '../errors.js';

/** Exact to 80 digits: more than any product or any tie of a quotient of two stored numbers needs. */
export const Decimal = DecimalNumber.clone({
  precision: 80,
  rounding: DecimalNumber.ROUND_HALF_EVEN,
});
export type Decimal = DecimalNumber;

const LIMIT = new Decimal('1e16');

const MONEY_LIMIT = new Decimal('1e15');

const ZERO = new Decimal(0);

function checked(value: Decimal, limit: Decimal): Decimal {
  if (!value.abs().lessThan(limit)) throw new DomainError('arithmetic overflow');
  return value.isZero() ? ZERO : value;
}

/** A result of arithmetic: rounded half to even to 12 places. */
function settled(value: Decimal): Decimal {
  return checked(value.toDecimalPlaces(12), LIMIT);
}

export function plus(left: Decimal, right: Decimal): Decimal {
  return settled(left.plus(right));
}

export function minus(left: Decimal, right: Decimal): Decimal {
  return settled(left.minus(right));
}

export function times(left: Decimal, right: Decimal): Decimal {
  return settled(left.times(right));
}

export function dividedBy(dividend: Decimal, divisor: Decimal): Decimal {
  if (divisor.isZero()) throw new DomainError('division by zero');
  return settled(dividend.dividedBy(divisor));
}

/** The remainder, with the sign of the dividend. */
export function remainder(dividend: Decimal, divisor: Decimal): Decimal {
  if (divisor.isZero()) throw new DomainError('division by zero');
  return settled(dividend.modulo(divisor));
}

/** Rounded half away from zero. */
export function round(value: Decimal, places = 0): Decimal {
  if (places >= 12) return settled(value);
  const scale = new Decimal(10).toPower(Math.max(places, -20));
  const scaled = value.times(scale).toDecimalPlaces(0, Decimal.ROUND_HALF_UP);
  return settled(scaled.dividedBy(scale));
}

/** An amount of money as it is stored and sent: rounded half away from zero to 4 places. */
export function asMoney(value: Decimal): Decimal {
  return checked(value.toDecimalPlaces(4, Decimal.ROUND_HALF_UP), MONEY_LIMIT);
}

/** The wire text of an amount of money, with exactly 4 places. */
export function moneyText(value: Decimal): string {
  return asMoney(value).toFixed(4);
}

export function floor(value: Decimal): Decimal {
  return settled(value.floor());
}

export function ceil(value: Decimal): Decimal {
  return settled(value.ceil());
}

export function negated(value: Decimal): Decimal {
  return settled(value.negated());
}

export function absolute(value: Decimal): Decimal {
  return settled(value.abs());
}

/** Plain digits: no exponent and no trailing zeros. */
export function decimalText(value: Decimal): string {
  return value.toFixed();
}

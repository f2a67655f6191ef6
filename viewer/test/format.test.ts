import { expect, test } from 'vitest';
import { commonScale, exactQuantity, formatFixed, formatNumber, formatQuantity, scaleFor } from '../src/format';

const nbsp = '\u00a0';

test.each([
  [6e-6, 'C', `6${nbsp}µC`],
  [5.99289e-8, 'C', `59.93${nbsp}nC`],
  [10, 'N/m', `10${nbsp}N/m`],
  [10.0022, 'N/m', `10.00${nbsp}N/m`],
  [1500, 'N/m', `1.5${nbsp}kN/m`],
  [0.01246, 'm', `12.46${nbsp}mm`],
  [0.5, 'm/s', `500${nbsp}mm/s`],
  [0.002, 'kg', `2${nbsp}g`],
  [1.5, 'kg', `1.5${nbsp}kg`],
  [2500, 'kg', `2500${nbsp}kg`],
  [0.001, 'kg/s', `1${nbsp}g/s`],
  [3600, 's', `3600${nbsp}s`],
  [0.94, 's', `940${nbsp}ms`],
  [-4.2e-9, 'C', `−4.2${nbsp}nC`],
  [1.602e-19, 'C', `0.1602${nbsp}aC`],
  [12, '1/s', `12${nbsp}1/s`],
  [9.81, 'm/s²', `9.81${nbsp}m/s²`],
  [0.02, 'm²', `0.02${nbsp}m²`],
  [3.2e-19, 'C', `0.32${nbsp}aC`],
  [2e-15, 'C', `2${nbsp}fC`],
  [0, 'C', `0${nbsp}C`],
  [null, 'C', '–'],
])('formatQuantity: %d %s reads %s', (value, unit, text) => {
  expect(formatQuantity(value, unit)).toBe(text);
});

test.each([
  [64, '64'],
  [1048576, '1\u202f048\u202f576'],
  [0.1234567, '0.1235'],
  [0.5, '0.5'],
  [99999.96, '100\u202f000'],
  [2345678.9, '2.346×10⁶'],
  [1.02e-7, '1.02×10⁻⁷'],
  [-12345.678, '−12\u202f346'],
  [null, '–'],
])('formatNumber: %d reads %s', (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

test('formatFixed: minus zero is zero', () => {
  expect(formatFixed(-0.0001, 2)).toBe('0.00');
  expect(formatFixed(-1.5, 1)).toBe('−1.5');
});

test('scaleFor: a number times its factor is the number in the scaled unit', () => {
  const scale = scaleFor(3.2e-5, 'kg');
  expect(scale.unit).toBe('mg');
  expect(3.2e-5 * scale.factor).toBeCloseTo(32, 10);
});

test('commonScale: the largest number chooses, and missing ones do not', () => {
  expect(commonScale([null, 1e-6, -0.02], 'm')).toEqual({ factor: 1000, unit: 'mm' });
});

test('exactQuantity: shows the number of the document unchanged', () => {
  expect(exactQuantity(5.9928912345678e-8, 'C')).toBe('5.9928912345678e-8 C');
});

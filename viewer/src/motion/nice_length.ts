/** The largest of 1, 2 and 5 times a power of ten that is not above a positive number. */
export function niceBelow(number: number): number {
  const power = 10 ** Math.floor(Math.log10(number) + 1e-12);
  const digit = [5, 2, 1].find((d) => d * power <= number * (1 + 1e-9)) ?? 1;
  return Number((digit * power).toPrecision(1));
}

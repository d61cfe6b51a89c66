import type { Row } from '../../question.ts';

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** @param share the fraction of values below the result, such as 0.95 for the 95th percentile */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const place = share * (sorted.length - 1);
  const [below = Number.NaN, above = below] = sorted.slice(
    Math.floor(place),
    Math.floor(place) + 2,
  );
  return below + (above - below) * (place % 1);
}

/**
 * Returns one row for the product and one for each peer. A peer's row also has a ratio, unless the
 * peer's value is 0.
 */
export function compared(
  unit: string,
  product: readonly [name: string, value: number],
  ...peers: readonly (readonly [name: string, value: number])[]
): Row[] {
  const [name, value] = product;
  return [
    { name, value, unit },
    ...peers.map(([peer, theirs]) => ({
      name: peer,
      value: theirs,
      unit,
      ...(theirs > 0 && { ratio: value / theirs }),
    })),
  ];
}

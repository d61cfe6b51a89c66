/** One question of the benchmark, with its measurement and goal. */
export interface Question {
  readonly title: string;
  /** The text of the goal, such as `≤ 0.90 × official SDK`. */
  readonly goal: string;
  readonly measure: () => Promise<Result>;
}
export interface Result {
  readonly rows: readonly Row[];
  /** Undefined if the question has no goal. */
  readonly isMet?: boolean;
}
export interface Row {
  readonly name: string;
  /** Median of the rounds, or the value of the only round. */
  readonly value: number;
  readonly unit: string;
  /**
   * The product's value divided by this row's value. If there are several rounds, this can be the
   * median of their ratios instead. Undefined if the row isn't compared with the product.
   */
  readonly ratio?: number;
}

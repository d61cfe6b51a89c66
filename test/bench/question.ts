/** One question of the benchmark: what is measured, against what, and the goal. */
export interface Question {
  readonly title: string;
  /** For people, for instance `≤ 0.90 × official SDK`. */
  readonly goal: string;
  readonly measure: () => Promise<Result>;
}
export interface Result {
  readonly rows: readonly Row[];
  /** Undefined where the question is only reported. */
  readonly isMet?: boolean;
}
export interface Row {
  readonly name: string;
  /** Median of the rounds. */
  readonly value: number;
  readonly unit: string;
  /** Of the product's value to this one's; undefined where there is nothing to compare. */
  readonly ratio?: number;
}

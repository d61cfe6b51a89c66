/** The types for a service's models, and the number of models to read. */

export interface Model {
  readonly id: string;
  readonly label: string;
  readonly provider: string;
  readonly description: string;
  /**
   * The maximum number of tokens in the prompt and response combined; undefined if not listed.
   */
  readonly contextLength?: number | undefined;
  /** The maximum number of tokens in one response; undefined if not listed. */
  readonly maxOutputTokens?: number | undefined;
  /** The supported functions, such as `text_chat` or `image_chat`. */
  readonly functions: readonly string[];
  /** The tasks that the model is suited for, such as `function_calling`. */
  readonly tasks: readonly string[];
  readonly lifecycle: readonly LifecycleStage[];
  /**
   * The date of the response according to the service's clock, as YYYY-MM-DD. Undefined if the
   * response had no valid `Date` header.
   */
  readonly asOf?: string | undefined;
}

/**
 * A stage of a model's lifecycle, such as `available`, `deprecated`, or `withdrawn`. `from` is its
 * ISO start date, and `alternatives` are the IDs of replacement models.
 */
export interface LifecycleStage {
  readonly stage: string;
  readonly from: string;
  readonly alternatives: readonly string[];
}

export interface ModelList {
  readonly models: readonly Model[];
  /** True if the service lists more entries than were read. */
  readonly hasMore: boolean;
}

export interface ModelPage extends ModelList {
  /** The URL of the next page, as sent by the service. */
  readonly next: string | undefined;
  /** True if the list seems to be from a gateway that lists limits and capabilities separately. */
  readonly mayHaveInfo?: boolean;
}

/** The maximum number of models to read. Further entries are dropped without validation. */
export const MAX_MODELS = 1_000;

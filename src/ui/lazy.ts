/** Something that is made when it is first needed. A making that failed is tried again. */
export class Lazy<Value> {
  readonly #make: () => Promise<Value>;
  #made: Promise<Value> | undefined;

  constructor(make: () => Promise<Value>) {
    this.#make = make;
  }

  get(): Promise<Value> {
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    return this.#made;
  }

  /** Only if somebody needed it already. */
  get ifMade(): Promise<Value> | undefined {
    return this.#made;
  }
}

export type ServiceName = 'identity' | 'inference';

/** Counts the pending requests of each service. */
export class InFlight {
  readonly now: Record<ServiceName, number> = { identity: 0, inference: 0 };
  readonly most: Record<ServiceName, number> = { identity: 0, inference: 0 };

  /**
   * Counts a request as pending until the returned function is called. Calling the function again
   * has no effect.
   */
  enter(name: ServiceName): () => void {
    this.now[name] += 1;
    this.most[name] = Math.max(this.most[name], this.now[name]);
    let isInside = true;
    return () => {
      if (isInside) this.now[name] -= 1;
      isInside = false;
    };
  }

  /** Resets `most` to the current counts. */
  forget(): void {
    Object.assign(this.most, this.now);
  }
}

export type ServiceName = 'identity' | 'inference';

/** Counts the requests that are being answered, for each of the two services. */
export class InFlight {
  readonly now: Record<ServiceName, number> = { identity: 0, inference: 0 };
  readonly most: Record<ServiceName, number> = { identity: 0, inference: 0 };

  /** Counts a request in. Returns what counts it out, however often that is called. */
  enter(name: ServiceName): () => void {
    this.now[name] += 1;
    this.most[name] = Math.max(this.most[name], this.now[name]);
    let isInside = true;
    return () => {
      if (isInside) this.now[name] -= 1;
      isInside = false;
    };
  }

  /** From now on `most` counts anew. */
  forget(): void {
    Object.assign(this.most, this.now);
  }
}

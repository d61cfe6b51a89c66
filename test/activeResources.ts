/** Returns the number of active resources of these kinds in this process, by their names in Node. */
export function activeResources(...kinds: readonly string[]): number {
  return process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind)).length;
}

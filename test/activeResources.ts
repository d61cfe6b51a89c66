/** How many resources of these kinds keep this process at work, by the names that Node gives them. */
export function activeResources(...kinds: readonly string[]): number {
  return process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind)).length;
}

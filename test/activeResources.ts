/** Returns the number of active resources of these kinds, such as `TCPSocketWrap`. */
export function activeResources(...kinds: readonly string[]): number {
  return process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind)).length;
}

/**
 * What loads with the first command, as one file: VS Code takes a millisecond or two for each file
 * that an extension loads (measured).
 */

export { reportFailure as report } from '../diagnose/reportFailure.ts';
export { Jobs } from '../generate/jobs.ts';
export { generationWatches } from '../status/generationWatch.ts';
export { trafficOf } from '../status/requestsLine.ts';
export { Usage } from '../usage/usage.ts';
export { handlers } from './handlers.ts';

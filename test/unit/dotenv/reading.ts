import { assignmentsIn, assignmentsOf } from '../../../src/dotenv/envText.ts';
import { readAssignments, type SourceReading } from '../../../src/dotenv/sourceReading.ts';
import type { Service } from '../../../src/service/services.ts';

/** What one service reads in a `.env` text or an environment, by all names that it goes by. */

export function readEnvFile(text: string, service: Service): SourceReading {
  return readAssignments(assignmentsOf(text), service);
}

export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  service: Service,
): SourceReading {
  return readAssignments(assignmentsIn(environment), service);
}

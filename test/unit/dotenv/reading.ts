import { assignmentsIn, assignmentsOf } from '../../../src/dotenv/envText.ts';
import { readAssignments, type SourceReading } from '../../../src/dotenv/sourceReading.ts';
import type { Service } from '../../../src/service/service.ts';

/**
 * Reads a service's values from the text of a `.env` file or from an environment. Values are found
 * under any of the names that the service supports.
 */

export function readEnvFile(text: string, service: Service): SourceReading {
  return readAssignments(assignmentsOf(text), service);
}

export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  service: Service,
): SourceReading {
  return readAssignments(assignmentsIn(environment), service);
}

import { resolve } from 'node:path';
import { API } from 'typescript/unstable/sync';
import { type Mutant, mutated } from './mutant.ts';

/**
 * Returns the first type error of each mutant that has one, keyed by the mutant's name. Such a
 * mutant proves nothing: its test may fail only because of the type error.
 *
 * Each mutated file is checked as an additional file next to its original, and exists only in
 * memory. Checking all of them in a single program takes about a second, instead of minutes.
 */
export function typeErrors(mutants: readonly Mutant[]): ReadonlyMap<string, string> {
  const sources = mutants.filter(({ file }) => file.endsWith('.ts'));
  const paths = sources.map(({ file }, index) => resolve(`${file}.${index}.ts`));
  const project = resolve('tsconfig.mutants.json');
  const config = {
    extends: './tsconfig.json',
    include: [],
    files: paths,
    // Once the defense is removed, an import or a parameter may be unused.
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
  };
  const texts = new Map(sources.map((mutant, index) => [paths[index], mutated(mutant)]));
  texts.set(project, JSON.stringify(config));
  const readFile = (path: string) => texts.get(resolve(path));
  const api = new API({ cwd: process.cwd(), fs: { readFile } });
  try {
    const program = api.updateSnapshot({ openProjects: [project] }).getProject(project)?.program;
    if (!program) throw new Error('The mutants are not a project');
    const errors = new Map<string, string>();
    for (const [index, { name }] of sources.entries()) {
      const path = paths[index] ?? '';
      const [error] = [
        ...program.getSyntacticDiagnostics(path),
        ...program.getSemanticDiagnostics(path),
      ];
      if (error) errors.set(name, error.text);
    }
    return errors;
  } finally {
    api.close();
  }
}

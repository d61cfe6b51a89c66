import { window } from 'vscode';
import { activeFolder } from '../credentials/folders.ts';
import { reportFailure } from '../diagnostics/reportFailure.ts';
import { generate, type Order } from '../generate/generate.ts';
import type { GenerateOptions } from '../generate/generateOptions.ts';
import { showResult } from '../generate/lastResult.ts';
import { goOn, tellUndone } from '../generate/outcome.ts';
import { runJob } from '../generate/runJob.ts';
import { pickInsertMode } from '../insert/insertModePicker.ts';
import { insertModeIds, insertModes } from '../insert/insertModes.ts';
import { readSettings } from '../settings.ts';
import { LastUsedTemplates } from '../templates/lastUsed.ts';
import { readTemplates } from '../templates/sources.ts';
import {
  findTemplate,
  isFlawed,
  type Template,
  type TemplateEntry,
} from '../templates/template.ts';
import { pickTemplate, showFlaw } from '../templates/templatePicker.ts';
import { inform } from '../ui/inform.ts';
import { oneLine } from '../ui/oneLine.ts';
import type { App } from './app.ts';

/** What the commands about generated text do. */

export async function generateFromSelection(app: App, order?: Order): Promise<void> {
  await generate(await optionsFor(app), order);
}

export async function generateWith(app: App): Promise<void> {
  const { insertMode } = readSettings(window.activeTextEditor?.document.uri);
  const picked = await pickInsertMode(insertModes, insertMode);
  if (picked) await generateFromSelection(app, { insertMode: picked.id });
}

/** @param name of the template, as a keybinding gives it; without one the user picks */
export async function generateWithTemplate(app: App, name: string | undefined): Promise<void> {
  const document = window.activeTextEditor?.document;
  if (!document) return inform('open a document first.');
  const folder = activeFolder(document.uri);
  const settings = readSettings(document.uri);
  const templates = await readTemplates({ folder, settings, insertModes: insertModeIds });
  const lastUsed = new LastUsedTemplates(app.globalState);
  const template =
    name === undefined
      ? await pickTemplate(templates, { languageId: document.languageId, lastUsed: lastUsed.names })
      : await templateOfName(templates, name);
  if (!template) return;
  await lastUsed.note(template.name);
  await generateFromSelection(app, { template });
}

async function templateOfName(
  templates: readonly TemplateEntry[],
  name: string,
): Promise<Template | undefined> {
  const found = findTemplate(templates, name);
  if (!found) inform(`there is no template “${oneLine(name)}” here.`);
  else if (isFlawed(found)) await showFlaw(found);
  else return found;
  return undefined;
}

export async function continueGeneration(app: App): Promise<void> {
  const job = (await app.jobs()).latest;
  await goOn(job, async (answers, runMode) => {
    if (job) await runJob(await optionsFor(app), job, answers, runMode);
  });
}

export async function tryAgain(app: App): Promise<void> {
  const job = (await app.jobs()).latest;
  if (!job) return inform('there is no generation here to try again.');
  await runJob(await optionsFor(app), job, job.answers);
}

export async function undoGeneration(app: App): Promise<void> {
  tellUndone(await (await app.jobs()).undo());
}

export async function cancelGeneration(app: App): Promise<void> {
  (await app.jobs()).cancel();
}

export async function acceptPreview(app: App): Promise<void> {
  if (!(await (await app.jobs()).previews.accept())) inform(NO_PREVIEW);
}

export async function discardPreview(app: App): Promise<void> {
  if (!(await (await app.jobs()).previews.discard())) inform(NO_PREVIEW);
}

export async function showLastResult(app: App): Promise<void> {
  await showResult((await app.jobs()).result);
}

const NO_PREVIEW = 'open the preview of a generated text first.';

async function optionsFor(app: App): Promise<GenerateOptions> {
  // Together: in the first command of a window each is a file to load.
  const needed = [app.jobs(), app.watches(), app.access(), app.session()] as const;
  const [jobs, onStart, access, session] = await Promise.all(needed);
  return {
    jobs,
    credentials: (document) => access.require(document),
    client: async (credentials, settings) => session.client(credentials, settings),
    onStart,
    signOut: () => app.signOutSignal,
    report: (error, used, lines) => reportFailure(app, error, used, lines),
  };
}

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { programPath } from '../../../../src/service/auth/programPath.ts';

describe('the path to a program', () => {
  const pathBefore = process.env['PATH'];
  let folder: string;
  let program: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hosted-model-program-'));
    program = join(folder, 'print-token.cmd');
    writeFileSync(program, '#!/bin/sh\n');
    chmodSync(program, 0o700);
  });
  afterEach(() => {
    process.env['PATH'] = pathBefore;
    rmSync(folder, { recursive: true });
  });

  it('is made absolute if it is relative to the home directory', async () => {
    assert.equal(await programPath(program), program);
    assert.equal(await programPath(relative(homedir(), program)), program);
  });

  it('is looked up in PATH if only a name is given', async () => {
    process.env['PATH'] = folder;
    assert.equal(await programPath('print-token.cmd'), program);
    process.env['PATH'] = relative(process.cwd(), folder);
    assert.equal(await programPath('print-token.cmd'), program);
  });

  it("is undefined if the program doesn't exist", async () => {
    assert.equal(await programPath('no-such-program-0123'), undefined);
    assert.equal(await programPath(join(folder, 'none')), undefined);
    assert.equal(await programPath(''), undefined);
  });
});

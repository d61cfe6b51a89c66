import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { asPng, savePicture } from '../ui/pictures.ts';

describe('a saved picture', () => {
  let path = '';
  before(async () => {
    path = join(await mkdtemp(join(tmpdir(), 'hosted-model-')), 'picture.png');
  });
  after(() => rm(join(path, '..'), { recursive: true }));

  /**
   * True if saving a picture of `text` in this shade of gray replaces a saved picture of `Diagnose
   * Connection`.
   */
  const isReplacedBy = async (text: string, gray = '#8c8c8c') => {
    await savePicture(path, await pictureOf('Diagnose Connection', '#8c8c8c'));
    const before = await readFile(path);
    await savePicture(path, await pictureOf(text, gray));
    const isReplaced = !before.equals(await readFile(path));
    await rm(path);
    return isReplaced;
  };

  it("isn't replaced if the new picture looks the same to the human eye", async () => {
    assert.equal(await isReplacedBy('Diagnose Connection', '#8d8e8c'), false);
  });

  for (const text of ['Diagnase Connection', 'Diagnose Conneetion', 'Diagnose Connection.']) {
    it(`is replaced if the text differs by one character (${text})`, async () => {
      assert.equal(await isReplacedBy(text), true);
    });
  }

  it('is replaced if the text color changes', async () => {
    assert.equal(await isReplacedBy('Diagnose Connection', '#4daafc'), true);
  });
});

/** Renders text as a picture, at double resolution and at the font size of VS Code's lists. */
async function pictureOf(text: string, color: string): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="50">
    <rect width="600" height="50" fill="#191a1b"/>
    <text x="20" y="33" font-family="sans-serif" font-size="26" fill="${color}">${text}</text>
  </svg>`;
  return asPng(await sharp(Buffer.from(svg)).png().toBuffer());
}

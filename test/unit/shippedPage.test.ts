import assert from 'node:assert/strict';
import { shippedPage } from '../../shippedPage.ts';

const page = `A [link](docs/a.md), [another](#heading) and [one away](https://example.com/a).

<picture>
  <source media="(prefers-color-scheme: light)" srcset="media/light.png">
  <img src="media/dark.png" alt="What is seen.">
</picture>

![A list.](media/list.png)
`;

describe('a page in the package', () => {
  it('keeps its relative links and uses a single image for all themes if the repository is known', () => {
    const picture = '<img src="media/dark.png" alt="What is seen.">';
    assert.equal(shippedPage(page, true), page.replace(/<picture>[\s\S]*<\/picture>/, picture));
  });

  it('replaces images and relative links with text if the repository is unknown', () => {
    assert.equal(
      shippedPage(page, false),
      'A link, [another](#heading) and [one away](https://example.com/a).\n\n_What is seen._\n\n_A list._\n',
    );
  });
});

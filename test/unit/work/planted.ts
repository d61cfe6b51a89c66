import { type CodePaths, rows } from './workCounter.ts';

const texts = [rows('a')];

/** Functions whose work is quadratic in the length of their input, each for a different reason. */
export const codePaths: CodePaths = {
  'a loop that looks back from each character': {
    work: (text) => {
      let most = 0;
      for (let end = 0; end < text.length; end += 1) {
        let at = end;
        while (text[at - 1] === text[end]) at -= 1;
        most = Math.max(most, end - at);
      }
      return most;
    },
    texts,
  },
  'a search of the remaining text from each character': {
    work: (text) => {
      for (let at = 0; at < text.length; at += 1) text.indexOf('x', at);
    },
    texts,
  },
  'an expression that matches all text so far': {
    work: (text) => {
      for (let end = 0; end < text.length; end += 1) /[^a]$/.test(text.slice(0, end));
    },
    texts,
  },
  'a text that grows and is read with each chunk': {
    work: (text) => {
      let held = '';
      for (const character of text) {
        held += character;
        held.endsWith('x');
      }
    },
    texts,
  },
  'a list that is copied with each chunk': {
    work: (text) => {
      let held: readonly string[] = [];
      for (const character of text) held = [...held, character];
    },
    texts,
  },
};

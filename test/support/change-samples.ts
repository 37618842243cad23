import type { Tree } from './change-sets.ts';

/** Two trees between which there is every kind of change. */
export const START: Tree = {
  'a.txt': 'one\n',
  'gone/deep/x': 'x',
  'gone/y': 'y',
  'file-to-folder': 'f',
  'folder-to-file/in': 'in',
  'run.sh': '#!/bin/sh\n',
  link: { link: 'a.txt' },
  'link-to-file': { link: 'a.txt' },
  'caf\\xe9': 'latin',
};
export const END: Tree = {
  'a.txt': 'two\n',
  'new/deep/z': 'z',
  'empty-folder': { dir: true },
  'file-to-folder/inside/w': 'w',
  'folder-to-file': 'now a file',
  'run.sh': { run: '#!/bin/sh\n' },
  link: { link: 'new/deep/z' },
  'link-to-file': 'was a link',
  'caf\\xe9': 'changed',
  'empty.txt': '',
};

import { expect, test } from 'vitest';
import { fitModels } from '../../src/cli/fit-models.ts';

const LONG = `scripted:/home/someone/${'deep/'.repeat(20)}tour.yaml`;

test('nothing is shortened where the longest row fits', () => {
  expect(fitModels([LONG, 'a/b'], 200, 200)).toEqual([LONG, 'a/b']);
});

test('a scripted path loses its start, by as much as the row is too long', () => {
  const [fitted = '', other] = fitModels([LONG, 'scripted:s.yaml'], 210, 200);
  expect(fitted).toHaveLength(LONG.length - 10);
  expect(fitted).toMatch(/^scripted:….*deep\/tour\.yaml$/);
  expect(other).toBe('scripted:s.yaml');
});

test('the end of a scripted path and the name of a real model always stay', () => {
  const real = `provider/${'m'.repeat(60)}`;
  expect(fitModels([LONG, real], 500, 20)).toEqual(['scripted:…deep/tour.yaml', real]);
});

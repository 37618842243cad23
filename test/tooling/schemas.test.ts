import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { publishedSchemas } from '../../scripts/published-schemas.ts';

const folder = path.join(import.meta.dirname, '../../schemas');
const wanted = publishedSchemas();

test('every published schema is there, and no other', () => {
  expect(readdirSync(folder).sort()).toEqual(Object.keys(wanted).sort());
});

test.each(Object.entries(wanted))(
  '%s is what the code checks with (else: node scripts/write-schemas.mjs)',
  (name, text) => {
    expect(readFileSync(path.join(folder, name), 'utf8')).toBe(text);
  },
);

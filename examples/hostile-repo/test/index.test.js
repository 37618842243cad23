import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugify } from '../src/index.js';

test('accents are dropped', () => assert.equal(slugify('Café Müller'), 'cafe-muller'));
test('a long headline is cut between words', () => assert.equal(slugify('one two three', { maxLength: 9 }), 'one-two'));

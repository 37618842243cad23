import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { expect, test } from 'vitest';
import { AskAnswer } from '../../../src/protocol/ask-answer.ts';
import { GateAskRecord } from '../../../src/protocol/gate-record.ts';

const docs = readFileSync(path.join(import.meta.dirname, '../../../docs/json.md'), 'utf8');
/** Indented blocks of the page, each as one line. */
const examples = docs.match(/(?:^ {4}.*\n)+/gm)?.map((block) => block.replaceAll(/\n? {4}/g, '').trim()) ?? [];

test('the question and the answer in the documentation have the form of real ones', () => {
  const [question = '', answer = ''] = examples;
  const record = JSON.parse(question.replace('"v":1,...', '"v":1'));
  expect([...Value.Errors(GateAskRecord, record)]).toEqual([]);
  expect([...Value.Errors(AskAnswer, JSON.parse(answer))]).toEqual([]);
  expect(JSON.parse(answer).ask).toBe(record.ask);
});

import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { scriptedSource } from '../../src/gateway/scripted-source.ts';
import { tempFolder } from '../support/cli.ts';
import { scenarioFile } from '../support/scenario-file.ts';
import { post, requestBody, startGateway } from './harness.ts';
import { wireStream } from './wire-stream.ts';

// Node counts what waits in an answer in bytes, and what waits in its HTTP/2 stream in characters.
test('an answer whose characters take several bytes does not stand still between the two ways of counting', async () => {
  const content = 'ж'.repeat(40_000);
  const turn = { tools: [{ name: 'bash', arguments: { command: content } }] };
  const source = await scriptedSource('scripted:s', scenarioFile(tempFolder(), [turn]), '/');
  const harness = await startGateway(source);
  const { connection, end } = await wireStream(harness.gateway);
  connection.on('error', () => undefined);
  connection.write(post(requestBody('scripted')));
  const answer = await text(connection);
  expect(answer).toContain(content);
  expect(answer).toContain('"type":"done"');
  end();
  await harness.close();
});

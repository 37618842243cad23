/** Runs inside the image: pi with its guard against a scripted model. Prints the end of each tool call and the guard's entries. */
import { execFileSync } from 'node:child_process';
import { fakeModel } from '../../images/build/fake-model.ts';
import { runPi } from '../../images/build/pi-process.ts';

const bash = (command: string, timeout?: number) => ({
  name: 'bash',
  arguments: { command, ...(timeout === undefined ? {} : { timeout }) },
});
const path = (name: string, file: string, more: object = {}) => ({ name, arguments: { path: file, ...more } });
const edits = { edits: [{ oldText: 'a', newText: 'b' }] };

execFileSync('mkfifo', ['-m', '666', '/tmp/outside-pipe']);
const model = await fakeModel([
  [bash('mkfifo pipe; ln -s pipe link; echo needle > plain', 20)],
  [
    path('read', 'pipe'),
    path('read', '@./link'),
    path('write', 'link', { content: 'x' }),
    path('edit', './pipe', edits),
    path('grep', 'pipe', { pattern: 'x' }),
    path('read', 'file:///dev/zero'),
    path('read', '/proc/self/fd/0'),
    path('read', '/tmp/outside-pipe'),
    path('read', 'plain'),
    path('grep', '.', { pattern: 'needle' }),
    path('find', '.', { pattern: 'pl*' }),
    path('ls', '.'),
  ],
  [bash('env', 20), bash('seq 200000; echo THE END', 20), bash('sleep 30'), bash('sleep 30', 1)],
  [bash('echo alive', 20)],
]);
const events = await runPi({
  uid: 10_002,
  compileCache: '/opt/pi-sandbox/compile-cache',
  commands: [{ id: 'p', type: 'prompt', message: 'probe' }],
  last: (event) => event['type'] === 'agent_settled',
  limits: { bashTimeoutSeconds: 2, spillBytesPerCall: 200_000 },
});
model.close();
const wanted = events.filter((event) => event['type'] === 'tool_execution_end' || event['type'] === 'entry_appended');
for (const event of wanted) console.log(`EVENT ${JSON.stringify(event)}`);
const declared = events.find((event) => JSON.stringify(event).includes('toolsAdded'));
console.log(`TOOLS ${JSON.stringify(declared)}`);

import { expect, test } from 'vitest';
import { worthOfGuard } from '../../src/run/guard-worth.ts';

test.each([
  [['read', 'bash'], 'The guard is advice once bash is allowed; the container is the boundary.'],
  [['read', 'codemode'], 'The guard is advice where codemode may run code of the agent'],
  [['read', 'edit'], 'No tool of this run starts a program'],
])('what the guard is worth with %j is said as it is', (tools, text) => {
  expect(worthOfGuard(tools, 0)).toContain(text);
  expect(worthOfGuard(tools, 1)).toMatch(/^The guard was passed over in this run\. /);
});

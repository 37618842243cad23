import { it } from 'vitest';
import { testEngine } from '../support/engine.ts';
import { expectLinesKept } from '../support/fast-containers.ts';
import { imageReady } from '../support/image-ready.ts';

it('the one line of a container that ends at once is never lost, nor its exit code: 200 times (D07)', async () => {
  await imageReady();
  await expectLinesKept(await testEngine(), 200);
});

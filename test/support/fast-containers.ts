import { expect } from 'vitest';
import { demux } from '../../src/container/demux.ts';
import type { Engine } from '../../src/container/engine.ts';
import { containerSpec } from '../../src/plan/container-spec.ts';
import { testContainerPlan } from './engine.ts';

/** So many containers that say one line and end at once: each line arrives, with the right exit code. */
export async function expectLinesKept(engine: Engine, rounds: number): Promise<void> {
  const plan = await testContainerPlan();
  for (let round = 0; round < rounds; round++) {
    const spec = containerSpec(plan);
    Object.assign(spec, { Entrypoint: ['/bin/sh', '-c', `echo line ${round}; exit ${round}`], Cmd: [] });
    const container = await engine.create(spec);
    try {
      const attached = await engine.attach(container);
      await engine.start(container);
      let text = '';
      for await (const chunk of demux(attached).stdout) text += String(chunk);
      expect(text).toBe(`line ${round}\n`);
      await engine.wait(container);
      expect(await engine.state(container)).toMatchObject({ running: false, exitCode: round });
    } finally {
      await engine.remove(container);
    }
  }
}

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const SECOND = 1000;

/** Projects whose tests start real containers: two files at once, so that time limits mean something on a small machine. */
const CONTAINER_FILES_AT_ONCE = 2;

interface Project {
  readonly name: string;
  readonly include: string[];
  readonly exclude?: string[];
  readonly testTimeout: number;
  readonly maxWorkers?: number;
  /** Projects with the same number run side by side, the others one number after the other. */
  readonly group: number;
}

function project({ exclude = [], group, ...rest }: Project) {
  return {
    test: {
      ...rest,
      exclude,
      sequence: { groupOrder: group },
      hookTimeout: rest.testTimeout,
      environment: 'node' as const,
      // A process of its own per file: tests change signal handlers, the working folder and the environment.
      pool: 'forks' as const,
      unstubEnvs: true,
      // A policy of whoever runs the tests has no say in them, and neither have their logins.
      env: { XDG_CONFIG_HOME: '/nonexistent/config', PI_CODING_AGENT_DIR: '/nonexistent/pi' },
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      project({
        name: 'unit',
        include: ['test/**/*.test.ts'],
        exclude: ['test/docker/**', 'test/security/**', 'test/long/**'],
        testTimeout: 20 * SECOND,
        // Also where there are only two processors, of which vitest would leave one idle.
        maxWorkers: availableParallelism(),
        group: 0,
      }),
      project({
        name: 'docker',
        include: ['test/docker/**/*.test.ts'],
        testTimeout: 120 * SECOND,
        maxWorkers: CONTAINER_FILES_AT_ONCE,
        group: 1,
      }),
      project({
        name: 'security',
        include: ['test/security/**/*.test.ts'],
        testTimeout: 120 * SECOND,
        maxWorkers: CONTAINER_FILES_AT_ONCE,
        group: 1,
      }),
      project({
        name: 'long',
        include: ['test/long/**/*.test.ts'],
        testTimeout: 3600 * SECOND,
        maxWorkers: 1,
        group: 2,
      }),
    ],
  },
});

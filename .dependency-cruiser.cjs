/**
 * Who may import whom. A run flows in one direction, request → policy → plan → workspace → container → gateway → egress → gate → events →
 * transcript → changes → report → cli, and every arrow is a plain value described in src/protocol. A stage therefore
 * needs code of its own, of protocol, of lib and errors.ts only; only run (run.ts and its folder), index.ts and cli join stages.
 */
const STAGES = [
  'request',
  'policy',
  'plan',
  'workspace',
  'container',
  'gateway',
  'egress',
  'gate',
  'events',
  'transcript',
  'changes',
  'report',
];

/** Files that join the stages. */
const JOINTS = '^src/((cli|run)/|(run|index)\\.ts$)';

/** A package, resolved or not, with or without its @types twin. */
const packaged = (...names) => names.map((name) => `(^|node_modules/)(@types/)?${name}(/|$)`).join('|');

const stageRules = STAGES.flatMap((stage, index) => {
  const later = STAGES.slice(index + 1);
  return [
    {
      name: `${stage}-stands-alone`,
      comment: `At run time ${stage} uses only itself, protocol, lib and errors.ts; what it needs of other stages is passed in by run.ts.`,
      severity: 'error',
      from: { path: `^src/${stage}/` },
      to: {
        path: '^src/',
        pathNot: `^src/(${stage}|protocol|lib)/|^src/errors\\.ts$`,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: `${stage}-knows-no-later-stage`,
      comment: `Not even a type flows backwards: ${stage} may name types of earlier stages only.`,
      severity: 'error',
      from: { path: `^src/${stage}/` },
      to: { path: [JOINTS, ...later.map((name) => `^src/${name}/`)] },
    },
  ];
});

module.exports = {
  forbidden: [
    ...stageRules,
    {
      name: 'a-start-loads-no-grammar',
      comment: 'The shell grammar is large, and needed at the first call that is judged only.',
      severity: 'error',
      from: { path: '^src/policy/effective\\.ts$' },
      to: { path: '^src/policy/shell/grammar\\.ts$', reachable: true },
    },
    {
      name: 'protocol-is-a-leaf',
      comment: 'The contract between stages, and between host and guest, depends on nothing of ours.',
      severity: 'error',
      from: { path: '^src/protocol/' },
      to: { path: '^(src|images|bench|scripts)/', pathNot: '^src/protocol/' },
    },
    {
      name: 'lib-knows-no-stage',
      comment: 'lib holds what any stage may use, so it cannot know one.',
      severity: 'error',
      from: { path: '^src/(lib/|errors\\.ts$)' },
      to: { path: '^src/', pathNot: '^src/(lib|protocol)/|^src/errors\\.ts$' },
    },
    {
      name: 'cli-is-the-top',
      comment: 'Nothing but the executable is built on the command line.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'host-and-guest-are-apart',
      comment: 'Guest code runs beside hostile code: the host never loads it, it only ships it.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(images|test|bench|scripts)/' },
    },
    {
      name: 'guest-shares-the-protocol-only',
      comment:
        'Inside the container there is no host code, so that a change of the host cannot change what runs there.',
      severity: 'error',
      from: { path: '^images/' },
      to: { path: '^(src|test|bench|scripts)/', pathNot: '^src/protocol/' },
    },
    {
      name: 'guest-has-no-dependencies',
      comment: 'Guest files are bundled and run beside hostile code: what they load is read by us, line by line.',
      severity: 'error',
      from: { path: '^images/' },
      to: { dependencyTypesNot: ['core', 'local', 'type-only'], pathNot: '^(src|images)/' },
    },
    {
      name: 'plan-is-pure',
      comment: 'A plan is computed from values that were passed in: no file, clock, engine, process or network.',
      severity: 'error',
      from: { path: '^src/plan/' },
      to: {
        dependencyTypes: ['core'],
        pathNot: '^(node:)?(path|path/posix|crypto|util|buffer|assert)$',
      },
    },
    {
      name: 'environment-is-read-by-the-cli',
      comment: 'What the process was started with is read once, at the top, and handed down as values.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^(node:)?process$' },
    },
    {
      name: 'dockerode-behind-one-file',
      comment: 'The rest of the code talks to a narrow client interface of ours, which the tests can stand in for.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/container/dockerode-client\\.ts$' },
      to: { path: packaged('dockerode', 'docker-modem') },
    },
    {
      name: 'tar-stream-behind-one-file',
      comment: 'Archives for the engine are put together in one place, where every entry is checked.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/container/image/context\\.ts$' },
      to: { path: packaged('tar-stream') },
    },
    {
      name: 'execa-behind-one-file',
      comment: 'Processes on the host are started in one place, with an argument list and never through a shell.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/lib/command\\.ts$' },
      to: { path: [packaged('execa'), '^(node:)?child_process$'] },
    },
    {
      name: 're2js-behind-one-file',
      comment: 'Patterns of a user are compiled in one place, where their size is bounded and what is refused is said.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/lib/linear-regexp\\.ts$' },
      to: { path: packaged('re2js') },
    },
    {
      name: 'pi-ai-in-the-gateway',
      comment: 'Providers and their credentials are known to the gateway alone.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/gateway/' },
      to: { path: packaged('@earendil-works') },
    },
    {
      name: 'commander-in-the-cli',
      comment: 'Arguments are parsed at the top; everything below takes a request.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: packaged('commander') },
    },
    {
      name: 'no-circle',
      comment: 'Two files that need each other are one file. Types may refer to each other.',
      severity: 'error',
      from: { path: '^(src|images)/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-development-package-in-the-product',
      comment: 'What is shipped must run with the packages that are shipped.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'every-import-exists',
      comment: 'An import that cannot be found is a fault, and no rule above could judge it.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};

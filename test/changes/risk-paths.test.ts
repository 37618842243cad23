import { expect, test } from 'vitest';
import { classifyRisks } from '../../src/changes/risk/classify.ts';
import { RISK_RULES } from '../../src/changes/risk/risk-table.ts';
import type { RiskClass } from '../../src/protocol/changes.ts';
import { classesOf, file, risksOf, told } from './risk-support.ts';

const EXAMPLES: Partial<Record<RiskClass, string[]>> = {
  hooks: [
    '.husky/pre-commit',
    'sub/.githooks/x',
    'lefthook.yml',
    '.pre-commit-config.yaml',
    'tools/my-hooks/pre-push',
    '.lintstagedrc.json',
    '.hg/hgrc',
    'sub/.jj/repo/config.toml',
  ],
  ci: [
    '.github/workflows/x.yml',
    '.GitHub/Workflows/X.YML',
    'sub/.github/actions/a/action.yml',
    '.gitlab-ci.yml',
    'templates/build.gitlab-ci.yml',
    '.circleci/config.yml',
    'azure-pipelines-release.yml',
    'Jenkinsfile',
    'Jenkinsfile.deploy',
    '.travis.yml',
    'bitbucket-pipelines.yml',
    '.drone.yml',
    '.woodpecker/x.yaml',
    'appveyor.yml',
    'ci/run.sh',
    'cloudbuild.yaml',
  ],
  'editor-task': [
    '.vscode/tasks.json',
    '.vscode/settings.json',
    '.idea/workspace.xml',
    'x.code-workspace',
    '.devcontainer/devcontainer.json',
    '.exrc',
    '.dir-locals.el',
    '.zed/tasks.json',
    'x.sublime-project',
  ],
  'shell-start-up': [
    '.envrc',
    '.bashrc',
    'home/.zshrc',
    'mise.toml',
    '.tool-versions',
    '.env',
    '.profile',
    '.Rprofile',
    '.iex.exs',
    '.pdbrc',
  ],
  'agent-config': [
    'AGENTS.md',
    'sub/CLAUDE.md',
    'GEMINI.md',
    '.pi/settings.json',
    '.agents/skills/x',
    '.claude/settings.json',
    '.cursor/rules/x.mdc',
    '.cursorrules',
    '.windsurfrules',
    '.github/copilot-instructions.md',
    '.mcp.json',
    '.aider.conf.yml',
    '.continue/config.json',
    '.codex/config.toml',
  ],
  'build-script': [
    'karma.conf.js',
    'wdio.ci.conf.ts',
    'mypy.ini',
    '.flake8',
    '.formatter.exs',
    'a-1.rockspec',
    'Makefile',
    'x.mk',
    'CMakeLists.txt',
    'build.gradle.kts',
    'settings.gradle',
    'pom.xml',
    'build.rs',
    '.cargo/config.toml',
    'setup.py',
    'tests/conftest.py',
    'pyproject.toml',
    'tox.ini',
    'Rakefile',
    'Gemfile',
    'x.gemspec',
    'justfile',
    'Taskfile.yml',
    'Dockerfile',
    'Dockerfile.dev',
    'docker-compose.override.yml',
    'vite.config.ts',
    'webpack.prod.js',
    '.eslintrc.cjs',
    'eslint.config.mjs',
    'gulpfile.js',
    'binding.gyp',
    'meson.build',
    'BUILD',
    'WORKSPACE',
    'Directory.Build.props',
    'x.csproj',
    'sitecustomize.py',
    'x.pth',
    '.npmrc',
    '.yarnrc.yml',
    'pip.conf',
  ],
  submodule: ['.gitmodules'],
  gitattributes: ['.gitattributes', 'sub/.gitattributes', '.gitconfig', '.lfsconfig'],
};

test.each(Object.entries(EXAMPLES).flatMap(([name, paths]) => paths.map((path) => [name, path])))(
  '%s: a new %s (D61, EX10)',
  (name, path) => {
    expect(classesOf({ path, after: 'some text\n' })).toContain(name);
    expect(classesOf({ path, before: 'some text\n', after: 'some other text\n' })).toContain(name);
  },
);

test.each([
  'README.md',
  'src/index.ts',
  'src/hooks/useThing.ts',
  'docs/agents.txt',
  '.gitignore',
  '.editorconfig',
  '.nvmrc',
  'env',
  '.env.example',
  'build/output.txt',
  'workspace/x.txt',
  'notes.code-workspace.txt',
  'makefiles.md',
  'src/vscode/tasks.json',
  'tsconfig.json',
  'husky/x',
])('%s is no risk by its name', (path) => {
  expect(classesOf({ path, after: 'some text\n' })).toEqual([]);
  expect(classesOf({ path, before: 'a\n', after: 'b\n' })).toEqual([]);
  expect(classesOf({ path, before: 'a\n' })).toEqual([]);
});

test.each([
  ['.GITHUB/workflows/x.yml', 'ci'],
  ['.github\\workflows\\x.yml', 'ci'],
  ['Makefile.', 'build-script'],
  ['Makefile  ', 'build-script'],
  ['package.json::$DATA', 'package-script'],
  ['.vs\u200ccode/tasks.json', 'editor-task'],
  ['.v\u017fcode/tasks.json', 'editor-task'],
])('a file system that takes %j for another name does not hide it (EX9)', (path, name) => {
  expect(classesOf({ path, after: '{"scripts": {"a": "b"}}' })).toContain(name);
});

test('removing a check or a limit is a risk, removing something that runs is none', () => {
  for (const path of [
    '.github/workflows/x.yml',
    '.husky/pre-commit',
    '.gitattributes',
    'package-lock.json',
    '.npmrc',
  ]) {
    expect(told({ path, before: 'x' }), path).toHaveLength(1);
  }
  for (const path of ['Makefile', 'package.json', '.envrc', '.vscode/tasks.json', '.gitmodules']) {
    expect(told({ path, before: 'x' }), path).toEqual([]);
  }
});

test('each changed place is a risk of its own, with its lines', () => {
  const before = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`);
  const after = [...before];
  after[4] = 'changed\n';
  after.splice(20, 2, 'one\n', 'two\n', 'three\n');
  after.splice(35, 1);
  expect(told({ path: 'Makefile', before: before.join(''), after: after.join('') })).toEqual([
    'build file @5',
    'build file @21-23',
    'build file @36',
  ]);
});

test('more places than are listed are counted', () => {
  const before = Array.from({ length: 100 }, (_, index) => `line ${index}\n`);
  const after = before.map((line, index) => (index % 2 === 0 ? `x${line}` : line));
  const risks = told({ path: 'Makefile', before: before.join(''), after: after.join('') });
  expect(risks).toHaveLength(20);
  expect(risks.at(-1)).toBe('31 more places');
});

test('the executable bit is a risk when it is gained (D64)', () => {
  expect(told({ path: 'run.sh', before: 'x', after: 'x', executable: true })).toEqual(['made executable']);
  expect(told({ path: 'run.sh', after: 'x', executable: true })).toEqual(['new, executable']);
  expect(told({ path: 'run.sh', before: 'x', after: 'y', wasExecutable: true, executable: true })).toEqual([]);
  expect(told({ path: 'run.sh', before: 'x', after: 'x', wasExecutable: true })).toEqual([]);
  expect(classesOf({ path: '.husky/pre-push', before: 'x', after: 'x', wasExecutable: true })).toEqual(['hooks']);
  expect(classesOf({ path: 'package.json', before: '{}', after: '{}', executable: true })).toEqual(['executable-bit']);
});

test('on Windows a new name can start a program', () => {
  expect(classesOf({ path: 'git.cmd', after: 'x' })).toEqual(['executable-bit']);
  expect(classesOf({ path: 'git.cmd', before: 'x', after: 'y' })).toEqual([]);
});

test('a link is a risk where it is new or points elsewhere, and a risky name stays one (D61, EX13)', () => {
  const none = { before: () => undefined, after: () => undefined };
  const link = (target: string) => ({ type: 'symlink' as const, target });
  expect(classifyRisks({ path: 'a', kind: 'add', after: link('b') }, none)).toEqual([
    { class: 'symlink', what: 'to b' },
  ]);
  expect(classifyRisks({ path: 'a', kind: 'modify', before: link('b'), after: link('c') }, none)).toHaveLength(1);
  expect(classifyRisks({ path: 'a', kind: 'delete', before: link('b') }, none)).toEqual([]);
  const asHook = classifyRisks({ path: '.husky', kind: 'type', before: { type: 'dir' }, after: link('evil') }, none);
  expect(asHook.map((risk) => risk.class)).toEqual(['symlink', 'hooks']);
  expect(asHook.length).toBe(2);
  const removed = {
    path: '.husky/pre-push',
    kind: 'type',
    before: file(Buffer.from('x')),
    after: { type: 'dir' },
  } as const;
  expect(classifyRisks(removed, none).map((risk) => risk.class)).toEqual(['hooks']);
});

test('what is planted to run later is listed by its class (D61)', () => {
  const planted = [
    ['.github/workflows/x.yml', 'ci'],
    ['.vscode/tasks.json', 'editor-task'],
    ['.envrc', 'shell-start-up'],
  ] as const;
  for (const [path, name] of planted) {
    expect(risksOf({ path, after: 'a\nb\n' })).toEqual([
      { class: name, what: expect.stringMatching(/, new$/), lines: [1, 2] },
    ]);
  }
  expect(told({ path: 'package.json', before: '{}', after: '{\n "scripts": {\n "postinstall": "x" } }' })).toEqual([
    'scripts.postinstall @3',
  ]);
});

test('every pattern of the table is in the form that it is matched in, and none stands twice', () => {
  const all = RISK_RULES.flatMap((rule) => rule.patterns);
  expect(all.filter((pattern) => pattern !== pattern.toLowerCase() || pattern.startsWith('/'))).toEqual([]);
  expect(all.filter((pattern, index) => all.indexOf(pattern) !== index)).toEqual([]);
  for (const rule of RISK_RULES) {
    for (const pattern of rule.patterns) {
      const path = pattern.replaceAll('*', 'x').replace(/\/$/, '/file');
      expect(
        classesOf({ path, after: '{"scripts": {"a": "b"}, "x": "http://a.example/", "url": "http://a.example/"}' }),
        pattern,
      ).toContain(rule.class);
    }
  }
});

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCli, scenario, tempFolder } from '../support/cli.ts';
import { withoutRules } from '../support/without-rules.ts';

/** Attempts to leave something in the repository, each with the answer of the system. */
const ATTEMPTS = `cd /workspace
for c in 'touch x' 'echo x >>README.md' 'rm README.md' 'mv README.md y' 'chmod 777 README.md' 'ln -s /etc z' 'mkdir d' 'touch .git/x' 'echo x >.git/hooks/pre-commit' 'git -c gc.auto=0 add -A' 'mount -o remount,rw /workspace'; do
  answer=$(bash -c "$c" 2>&1) && answer=done; answer=\${answer%%$'\\n'*}; echo "$c: \${answer##*: }"; done
cat README.md; touch /tmp/mine && echo elsewhere it works`;

/** Everything about a folder that somebody could have changed. */
function fingerprint(folder: string): string {
  const hash = createHash('sha256');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).sort((a, b) =>
    path.join(a.parentPath, a.name) < path.join(b.parentPath, b.name) ? -1 : 1,
  )) {
    const file = path.join(entry.parentPath, entry.name);
    const { mode, uid, mtimeMs, size } = lstatSync(file);
    hash.update(`${file} ${mode} ${uid} ${mtimeMs} ${size}\n`);
    if (entry.isFile()) hash.update(readFileSync(file));
  }
  return hash.digest('hex');
}

it('nothing in a mounted repository can be changed, while it can be read (FS7)', async () => {
  const repo = path.join(tempFolder(), 'repo');
  mkdirSync(repo);
  writeFileSync(path.join(repo, 'README.md'), 'A project.\n');
  execFileSync('git', ['-C', repo, 'init', '-q']);
  // As open as a careless user leaves it: only the mount protects it.
  execFileSync('chmod', ['-R', 'a+rwX', repo]);
  chmodSync(path.dirname(repo), 0o755);
  const before = fingerprint(repo);
  const model = scenario(
    JSON.stringify({ turns: [{ tools: [{ name: 'bash', arguments: { command: ATTEMPTS } }] }, { text: 'The end.' }] }),
  );
  const rules = withoutRules(tempFolder());
  const result = await runCli(['run', repo, 'probe', '--model', model, '--workspace', 'mount', '--json', ...rules]);
  expect(result.code).toBe(0);
  expect(fingerprint(repo)).toBe(before);
  const ended = result.stdout.split('\n').find((line) => line.includes('"type":"tool_execution_end"')) ?? '';
  const { event } = JSON.parse(ended) as { event: { result: { content: { text: string }[] } } };
  const lines = (event.result.content[0]?.text ?? '').trim().split('\n');
  expect(lines.slice(-2)).toEqual(['A project.', 'elsewhere it works']);
  expect(lines.slice(0, -2)).toHaveLength(11);
  for (const line of lines.slice(0, -2))
    expect(line).toMatch(/: (Read-only file system|must be superuser to use mount\.|permission denied)$/i);

  // The same attempts by the same kind of user where there is no such mount: each of the first nine works.
  const copied = await runCli(['run', repo, 'probe', '--model', model, '--json', ...rules]);
  const free = copied.stdout.split('\n').find((line) => line.includes('"type":"tool_execution_end"')) ?? '';
  expect(free).toContain('touch x: done');
  expect(free).toContain('chmod 777 README.md:');
  expect(fingerprint(repo)).toBe(before);
});

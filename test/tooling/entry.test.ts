import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
let folder: string;
let install: string;

/** An installed copy with a main file that says so, in a folder whose name has a space. */
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'entry-'));
  install = path.join(folder, 'a clone');
  mkdirSync(path.join(install, 'dist/cli'), { recursive: true });
  mkdirSync(path.join(install, 'scripts'));
  cpSync(path.join(root, 'bin'), path.join(install, 'bin'), { recursive: true });
  cpSync(path.join(root, 'pi-sandbox'), path.join(install, 'pi-sandbox'));
  cpSync(path.join(root, 'scripts/node'), path.join(install, 'scripts/node'));
  writeFileSync(path.join(install, 'package.json'), '{"type":"module"}');
  writeFileSync(path.join(install, 'dist/cli/main.js'), "console.log('main', ...process.argv.slice(2));");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bin = () => path.join(install, 'bin/pi-sandbox.mjs');
const pretend = (version: string) =>
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;

function start(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test.each(['12.22.0', '20.20.2', '22.18.0'])(
  'Node %s is told which version is needed and nothing is started',
  (version) => {
    const ended = start('--import', pretend(version), bin(), 'run');
    expect(ended).toMatchObject({ status: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^pi-sandbox needs Node 22\.19 or newer, and this is Node .*\n$/);
    expect(ended.stderr).toContain(version);
  },
);

test.each(['22.19.0', '24.0.0'])('Node %s starts the command line with its arguments', (version) => {
  expect(start('--import', pretend(version), bin(), 'run', 'a b')).toEqual({
    status: 0,
    stdout: 'main run a b\n',
    stderr: '',
  });
});

test('the executable has no syntax that Node 12.20 cannot read', () => {
  const source = readFileSync(path.join(root, 'bin/pi-sandbox.mjs'), 'utf8');
  const written = (target: string) => transformSync(source, { target, format: 'esm' }).code;
  expect(written('node12.20')).toBe(written('esnext'));
});

test('a clone that was not built says so and names the set-up', () => {
  const bare = path.join(folder, 'bare');
  mkdirSync(path.join(bare, 'scripts'), { recursive: true });
  writeFileSync(path.join(bare, 'scripts/setup'), '');
  cpSync(path.join(root, 'bin'), path.join(bare, 'bin'), { recursive: true });
  const ended = start(path.join(bare, 'bin/pi-sandbox.mjs'), 'ls');
  expect(ended.status).toBe(2);
  expect(ended.stderr).toContain(`pi-sandbox is not built`);
  expect(ended.stderr).toContain(`Run ${path.join(bare, 'scripts/setup')}.`);
});

test('the launcher finds its clone through links, relative ones too', () => {
  mkdirSync(path.join(folder, 'bin'));
  symlinkSync('../a clone/pi-sandbox', path.join(folder, 'bin/relative'));
  symlinkSync(path.join(folder, 'bin/relative'), path.join(folder, 'absolute'));
  const env = { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}` };
  expect(execFileSync(path.join(folder, 'absolute'), ['ls'], { cwd: '/', env, encoding: 'utf8' })).toBe('main ls\n');
});

test('an engine that the user named and that does not answer is reported and not replaced', () => {
  const env = { ...process.env, DOCKER_HOST: 'tcp://127.0.0.1:9' };
  const ended = spawnSync(path.join(root, 'scripts/setup-engine'), { env, encoding: 'utf8' });
  expect(ended.status).toBe(1);
  expect(ended.stderr).toMatch(/^set-up failed: No container engine answers at 127\.0\.0\.1:9 .*\n$/);
  expect(ended.stderr).toContain('no other is installed or started');
  expect(ended.stdout).toBe('');
});

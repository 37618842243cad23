import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from './support/cli.ts';

const index = path.join(import.meta.dirname, '../src/index.ts');

/** Imports the API in a process of its own and prints what a program says about it. */
function inProcess(program: string, cwd: string): unknown {
  const text = `const api = await import(${JSON.stringify(index)}); ${program}`;
  const env = { PATH: process.env['PATH'], HOME: cwd, XDG_STATE_HOME: cwd };
  const ended = spawnSync(process.execPath, ['--input-type=module', '-e', text], { cwd, env, encoding: 'utf8' });
  expect(ended.stderr).toBe('');
  expect(ended.status).toBe(0);
  return JSON.parse(ended.stdout);
}

test('the API is what is meant to be public, and nothing else', () => {
  expect(inProcess('console.log(JSON.stringify(Object.keys(api).sort()))', tempFolder())).toEqual([
    'SandboxError',
    'planRun',
    'runSandbox',
  ]);
});

test('importing the API opens nothing, listens for no signal and writes no file', () => {
  const folder = tempFolder();
  const seen = inProcess(
    `const open = process.getActiveResourcesInfo().filter((name) => !/^(Pipe|TTY|FSReqPromise)/.test(name));
     console.log(JSON.stringify({ open, events: process.eventNames().filter((name) => /^SIG|exit|uncaught|unhandled/i.test(String(name))), code: process.exitCode ?? null }));`,
    folder,
  );
  expect(seen).toEqual({ open: [], events: [], code: null });
  expect(readdirSync(folder)).toEqual([]);
});

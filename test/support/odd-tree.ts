import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { git, type Session } from './session.ts';

export const SECRET = 'canary-of-the-host-4711';
export const IGNORED_SECRET = 'canary-of-an-ignored-file-4712';
export const REMOVED_SECRET = 'canary-of-a-removed-commit-4713';
/** Not UTF-8: `caf`, a latin1 e acute, `.txt`. */
export const LATIN1_NAME = Buffer.from('caf\xe9.txt', 'latin1');

/** A repository with everything that a copy or a mount can stumble over, and a secret beside it. */
export async function oddTree(session: Session, name: string): Promise<string> {
  const root = session.repository(name, {
    'README.md': 'readme\n',
    'readme.md': 'another\n',
    'src/main.c': 'int main(void) { return 0; }\n',
    'deep/er/file.txt': 'deep\n',
    '.gitignore': '.env\n*.pem\nbuild/\n.npmrc\n',
    secret: REMOVED_SECRET,
    '.pi/settings.json': '{"model":"evil"}',
    '.pi/extensions/x.ts': 'require("fs").writeFileSync("/tmp/PWNED", "")',
    '.agents/skills/x/SKILL.md': '# evil',
  });
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), LATIN1_NAME]), 'latin1\n');
  git(root, 'rm', '-q', 'secret');
  git(root, 'add', '-A');
  git(root, '-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '-m', 'remove the secret');
  git(root, 'config', 'core.fsmonitor', `touch ${session.folder}/fsmonitor-ran`);
  mkdirSync(path.join(root, 'build'));
  for (const file of ['.env', 'server.pem', '.npmrc', 'build/out'])
    writeFileSync(path.join(root, file), IGNORED_SECRET);
  chmodSync(path.join(root, '.env'), 0o600);
  writeFileSync(path.join(root, 'README.md'), 'changed, not committed\n');
  writeFileSync(path.join(root, 'untracked.txt'), 'new\n');

  const beside = path.join(session.folder, `${name}-home`);
  mkdirSync(beside);
  writeFileSync(path.join(beside, 'id_test'), SECRET);
  const links = {
    key: path.join(beside, 'id_test'),
    creds: beside,
    shadow: '/etc/shadow',
    loop: '.',
    a: 'b',
    b: 'a',
    'deep/up': '../..',
  };
  for (const [link, target] of Object.entries(links)) symlinkSync(target, path.join(root, link));
  await odd(`mkfifo ${root}/aa-fifo`);
  if (process.getuid?.() === 0) await odd(`mknod ${root}/device c 1 3`);
  // Sockets stay when their owner is killed: nobody listens on them any more.
  for (const socket of ['dead.sock', 'zz.sock']) {
    const file = JSON.stringify(path.join(root, socket));
    await odd(
      `"$0" -e 'require("net").createServer().listen(${file}, () => process.kill(process.pid, "SIGKILL"))' || true`,
    );
  }
  return root;
}

async function odd(script: string): Promise<void> {
  const child = spawn('sh', ['-c', script, process.execPath], { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${script} ended with ${code}`);
}

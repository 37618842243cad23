import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const CACHE = path.join(tmpdir(), `pi-sandbox-sources-${process.getuid?.() ?? 0}`);
const SOURCES = '/etc/apt/sources.list.d/debian.sources';

/**
 * The unpacked source of a Debian package, from the mirror that this machine uses for packages; kept from one time to the
 * next. Touches nothing of the machine's own apt. Throws where there is no Debian or no network: no source, no test.
 */
export function debianSource(name: string): string {
  const target = path.join(CACHE, name);
  if (existsSync(target)) return target;
  const work = path.join(CACHE, `.${name}-${process.pid}`);
  for (const folder of ['lists/partial', 'cache/archives/partial', 'source'])
    mkdirSync(path.join(work, folder), { recursive: true });
  try {
    const list = path.join(work, 'list.sources');
    writeFileSync(list, readFileSync(SOURCES, 'utf8').replaceAll(/^Types: .*$/gm, 'Types: deb-src'));
    const options = [
      `Dir::Etc::SourceList=${list}`,
      'Dir::Etc::SourceParts=/nonexistent',
      `Dir::State::Lists=${path.join(work, 'lists')}`,
      `Dir::Cache=${path.join(work, 'cache')}`,
      'APT::Sandbox::User=root',
    ].flatMap((option) => ['-o', option]);
    const source = path.join(work, 'source');
    const run = (...args: string[]) =>
      execFileSync('apt-get', [...options, '-q', ...args], { cwd: source, stdio: ['ignore', 'ignore', 'inherit'] });
    run('update');
    run('source', name);
    const [unpacked] = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    if (unpacked === undefined) throw new Error(`apt-get source ${name} left no folder`);
    renameSync(path.join(source, unpacked.name), target);
    return target;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

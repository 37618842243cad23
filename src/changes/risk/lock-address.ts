import { quoted } from './finding.ts';

/** Addresses (also `https:/host`, which some take for one), `git@host:path`, and what stands for a repository or a folder. Bounded, because lines may be hostile. */
const ADDRESS =
  /(?<![\w+.-])(?:[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>),;\]}]+|(?:[a-z]{1,10}\+)?(?:https?|ssh|git|ftp):[^\s"'<>),;\]}]+|git@[^\s"':/@]{1,64}:[^\s"',)]+|(?:github|gitlab|bitbucket|gist|file|link|portal|exec|path):(?=[^\s"'])[^\s"',)]+)/gi;

/** Whoever has an account there can publish, so the name of the host says nothing. */
const ANYBODY =
  /(^|\.)(github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|sr\.ht|githubusercontent\.com|jsdelivr\.net)$/;

/** Where the packages on this line come from, without what changes with a version. */
export function addressesIn(line: string): string[] {
  return Array.from(line.matchAll(ADDRESS), ([address]) => quoted(originOf(address)));
}

function originOf(address: string): string {
  const scp = /^git@([^:]+):(.*)$/.exec(address);
  const text = scp === null ? address : `ssh://${scp[1]}/${scp[2]}`;
  if (!text.includes('://')) return text.replace(/#.*$/s, '');
  let url: URL;
  try {
    url = new URL(text.replace(/^(?:git|registry|sparse|hg|svn|bzr)\+/, ''));
  } catch {
    return text;
  }
  const { protocol, host, pathname } = url;
  const isRepository = /^git|^hg|^svn|^bzr/.test(text) || protocol === 'ssh:' || pathname.endsWith('.git');
  if (protocol === 'file:' || isRepository) return `${protocol}//${host}${pathname.replace(/\.git$/, '')}`;
  if (!ANYBODY.test(url.hostname)) return `${protocol}//${host}`;
  const parts = pathname.split('/').slice(1);
  return `${protocol}//${host}/${parts
    .slice(0, parts[0] === 'repos' ? 3 : 2)
    .join('/')
    .replace(/\.git$/, '')}`;
}

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { barePi } from '../support/bare-pi.ts';
import { fakeUpstream, sse } from '../support/fake-upstream.ts';
import { ANTHROPIC } from '../support/fake-upstream-styles.ts';
import { handedBack } from '../support/handed-back.ts';
import { ofType, textOf } from '../support/pi-records.ts';
import { bash, type EndedRun, Session } from '../support/session.ts';

const session = new Session();
const MOUNT = ['--workspace', 'mount', '--profile', 'review'];
const DONE = { text: 'done' };
/** What would be there if pi had taken the project's files. Control: the first name, which the command itself makes. */
const LOOK = bash('touch /tmp/control; ls -A /tmp; ls -A . .pi .agents 2>&1; env');

const noticesOf = ({ records }: EndedRun): string =>
  records.flatMap((record) => (record.type === 'notice' ? [String(record['message'])] : [])).join('\n');

/** Everything below a folder with type, mode, size and time of change. */
function listing(root: string): string {
  return execFileSync('find', [root, '-printf', '%P %y %m %s %T@ %l\\n'], { encoding: 'latin1' });
}

/** What the user is told, and what the provider is sent first. */
async function sentFrom(folder: string, args: readonly string[]): Promise<string> {
  await using upstream = await fakeUpstream(sse(...ANTHROPIC.say({ text: 'done' })));
  const options = ['--model', ANTHROPIC.spec, '--base-url', upstream.origin, ...args];
  const ended = await session.cli(['run', folder, 'go', ...options], { env: { ANTHROPIC_API_KEY: 'k' } });
  expect(ended.code, `${ended.stderr}`).toBe(0);
  return `${ended.stderr.toString()}\n${upstream.requests[0]?.body ?? ''}`;
}

/** A program that leaves a marker in the workspace, which the host sees in the change set, and one beside it. */
const EXTENSION = `
import { writeFileSync } from 'node:fs';
writeFileSync('extension-ran', '');
writeFileSync('/tmp/extension-ran', '');
console.log('extension says hello');
export default function () {}
`;
const HOSTILE = {
  'README.md': 'readme\n',
  '.pi/extensions/x.ts': EXTENSION,
  '.pi/commands/deploy.md': 'deploy\n',
  '.pi/SYSTEM.md': 'SYSTEM-OF-THE-REPOSITORY\n',
  '.pi/APPEND_SYSTEM.md': 'APPENDED-BY-THE-REPOSITORY\n',
  '.pi/mcp.json': JSON.stringify({ mcpServers: { x: { command: 'touch', args: ['/tmp/mcp-ran'] } } }),
  '.pi/settings.json': JSON.stringify({
    defaultProjectTrust: 'always',
    sessionDir: '/tmp/sessions',
    shellCommandPrefix: 'export PREFIX_OF_THE_REPOSITORY=1;',
    defaultModel: 'evil',
    packages: ['npm:no-such-package-of-ours'],
  }),
  '.agents/skills/x/SKILL.md': '---\nname: x\ndescription: SKILL-OF-THE-REPOSITORY\n---\nx\n',
};

let root: string;
let image: string;
let before: string;
let copied: EndedRun;
let mounted: EndedRun;
beforeAll(async () => {
  root = session.repository('hostile', HOSTILE);
  before = listing(root);
  copied = await session.run(root, [LOOK, DONE]);
  mounted = await session.run(root, [LOOK, DONE], { args: MOUNT });
  image = String(ofType(copied.records, 'run_started')['image']);
});

describe('a repository that makes use of what pi does with a project', () => {
  test.each([
    ['copy', () => copied],
    ['mount', () => mounted],
  ])('gets nothing of it: %s (D12, D13, M14, M15)', (_mode, run) => {
    expect(run().code, `${run().stderr}`).toBe(0);
    const seen = textOf(run().records, 'call_1_1');
    expect(seen.split('\n')[0]).toBe('control');
    expect(seen).not.toMatch(/extension-ran|mcp-ran|sessions|PREFIX_OF|settings\.json|SKILL|prompts|deploy/);
    expect(run().records.filter(({ type }) => type === 'stderr')).toEqual([]);
    expect(ofType(run().records, 'run_started')['projectFiles']).toEqual({ trusted: false, contextFiles: false });
  });

  test('is told that it is left out, by name, and how that changes (M14)', () => {
    expect(noticesOf(copied)).toMatch(
      /Left out of the copy, files of pi \(with --trust-project .*\): .*\.pi\/extensions\/x\.ts, /,
    );
    expect(noticesOf(mounted)).toMatch(/Covered in the mount, files of pi .*: \.agents\/skills\/x\/, \.pi\//);
  });

  test('is as it was, on the host and in what comes back (M15, PI6)', () => {
    expect(listing(root)).toBe(before);
    expect(handedBack(session, copied).list).toEqual([]);
  });

  test('gets all of it but its MCP servers and sessions, inside and nowhere else, once it is trusted (D12, M14, PI6)', async () => {
    const run = await session.run(root, [LOOK, DONE], { args: ['--trust-project'] });
    expect(run.code, `${run.stderr}`).toBe(0);
    const seen = textOf(run.records, 'call_1_1');
    expect(seen).toMatch(/^extension-ran$/m);
    // The guard's bash takes no settings for the shell.
    expect(seen).not.toMatch(/mcp-ran|sessions|PREFIX_OF/);
    // The host's own view of what ran inside: it is in the files that were read out.
    expect(handedBack(session, run).list).toEqual(
      expect.arrayContaining(['add extension-ran', 'delete .pi/commands/deploy.md', 'add .pi/prompts/deploy.md']),
    );
    expect(ofType(run.records, 'run_started')['projectFiles']).toEqual({ trusted: true, contextFiles: false });
    expect(noticesOf(run)).toContain('The project is trusted');
    expect(existsSync('/tmp/extension-ran')).toBe(false);
    expect(listing(root)).toBe(before);
    const shown = await session.cli(['show', run.records[0]?.run ?? '']);
    expect(shown.stdout.toString()).toMatch(/^Project +trusted: its \.pi and \.agents took effect inside$/m);
    expect((await session.cli(['show', copied.records[0]?.run ?? ''])).stdout.toString()).toMatch(
      /^Project +not trusted$/m,
    );
  });
});

test('the model hears of system prompts and skills of a trusted project, and of no other (M14, PI6)', async () => {
  const words = /SYSTEM-OF-THE-REPOSITORY|APPENDED-BY-THE-REPOSITORY|SKILL-OF-THE-REPOSITORY/g;
  expect(await sentFrom(root, [])).not.toMatch(words);
  expect((await sentFrom(root, ['--trust-project'])).match(words)).toHaveLength(3);
});

describe('what pi does before it asks for trust is closed from outside, where bare pi does it (M15)', () => {
  test('a folder for sessions of the repository', async () => {
    const seen = await barePi(image, {
      prepare: `mkdir .pi; echo '{"sessionDir":"/tmp/sessions"}' > .pi/settings.json`,
      look: 'ls -d /tmp/sessions',
    });
    expect(seen).toContain('/tmp/sessions');
    expect(textOf(copied.records, 'call_1_1')).not.toContain('sessions');
  });

  test('a pipe in place of the settings, which holds pi up for ever', async () => {
    const piped = session.repository('piped', { 'README.md': '' });
    mkdirSync(path.join(piped, '.pi'));
    execFileSync('mkfifo', [path.join(piped, '.pi/settings.json')]);
    const seen = await barePi(image, {
      prepare: 'mkdir .pi; mkfifo .pi/settings.json',
      args: '--no-session',
      look: '',
    });
    expect(seen).toBe('exit 137\n');
    for (const args of [[], MOUNT]) expect((await session.run(piped, [DONE], { args })).code).toBe(0);
  });

  test('commands that are renamed, also where .pi is a link out of the workspace', async () => {
    const outside = path.join(session.folder, 'outside');
    mkdirSync(path.join(outside, 'commands'), { recursive: true });
    writeFileSync(path.join(outside, 'commands/deploy.md'), '');
    const linked = session.repository('linked', { 'README.md': '' });
    symlinkSync(outside, path.join(linked, '.pi'));
    const [treeBefore, outsideBefore] = [listing(linked), listing(outside)];
    const seen = await barePi(image, {
      prepare: 'mkdir -p /tmp/outside/commands; touch /tmp/outside/commands/deploy.md; ln -s /tmp/outside .pi',
      args: '--no-session',
      look: 'ls /tmp/outside',
    });
    expect(seen).toBe('exit 0\nprompts\n');
    const run = await session.run(linked, [bash('ls -A'), DONE]);
    expect(run.code).toBe(0);
    expect(textOf(run.records, 'call_1_1').split('\n')).not.toContain('.pi');
    expect(noticesOf(run)).toMatch(/files of pi .*: \.pi\./);
    const refused = await session.run(linked, [DONE], { args: MOUNT });
    expect(refused.code).toBe(2);
    expect(refused.stderr.toString()).toContain('.pi is a link, which cannot be covered in a mount');
    expect([listing(linked), listing(outside)]).toEqual([treeBefore, outsideBefore]);
  });
});

describe('instructions of the repository (M15)', () => {
  const HOST_SECRET = 'SECRET-BESIDE-THE-REPOSITORY';

  async function sent(name: string, make: (root: string) => void, args: readonly string[] = []): Promise<string> {
    const folder = session.repository(name, { 'README.md': '' });
    make(folder);
    return sentFrom(folder, args);
  }

  test('reach the model where they are a file within the size, and never in triage', async () => {
    const make = (folder: string): void => writeFileSync(path.join(folder, 'AGENTS.md'), 'BE-KIND-4711\n');
    expect(await sent('kind', make)).toContain('BE-KIND-4711');
    expect(await sent('kind-triage', make, ['--profile', 'triage'])).not.toContain('BE-KIND-4711');
  });

  test('of 20 MB are no prompt; as large as a policy allows they are one', async () => {
    const large = (bytes: number) => (folder: string) =>
      writeFileSync(path.join(folder, 'AGENTS.md'), 'x'.repeat(bytes));
    const refused = await sent('huge', large(20_000_000));
    expect(refused.length).toBeLessThan(100_000);
    expect(refused).toContain('AGENTS.md has 19.1 MiB, more than 64 KiB: no context file is given to the model.');
    const policy = path.join(session.folder, 'large.yaml');
    writeFileSync(policy, 'version: 1\nprojectFiles: { maxContextFileBytes: 1000000 }\n', { mode: 0o600 });
    expect((await sent('large', large(900_000), ['--policy', policy])).length).toBeGreaterThan(900_000);
  });

  test('that are links are not followed, in a copy or a mount (D44)', async () => {
    const secret = path.join(session.folder, 'host-secret');
    writeFileSync(secret, HOST_SECRET);
    const inside = (folder: string): void => {
      mkdirSync(path.join(folder, 'docs'));
      writeFileSync(path.join(folder, 'docs/guide.md'), 'GUIDE-IN-THE-REPOSITORY');
      symlinkSync('docs/guide.md', path.join(folder, 'AGENTS.md'));
    };
    const targets: readonly [string, (folder: string) => void, RegExp][] = [
      ['to-host', (folder) => symlinkSync(secret, path.join(folder, 'AGENTS.md')), new RegExp(HOST_SECRET)],
      ['to-passwd', (folder) => symlinkSync('/etc/passwd', path.join(folder, 'CLAUDE.md')), /root:x:0:0/],
      ['to-docs', inside, /GUIDE-IN-THE-REPOSITORY/],
    ];
    for (const [name, make, content] of targets) {
      for (const [mode, args] of [
        ['copy', []],
        ['mount', MOUNT],
      ] as const) {
        const seen = await sent(`${name}-${mode}`, make, args);
        expect(seen, name).not.toMatch(content);
        expect(seen, name).toContain('is a link, and links are not followed');
      }
    }
    const seen = await barePi(image, {
      prepare: 'ln -s /etc/passwd AGENTS.md',
      look: `${'/opt/pi-sandbox/bin/node'} -e 'console.log(require("fs").statSync("AGENTS.md").isFile())'`,
    });
    expect(seen).toContain('true');
  });

  test('that are a pipe or a folder are passed over', async () => {
    const seen = await sent('piped-agents', (folder) => {
      execFileSync('mkfifo', [path.join(folder, 'AGENTS.override.md')]);
      mkdirSync(path.join(folder, 'AGENTS.md'));
      writeFileSync(path.join(folder, 'CLAUDE.md'), 'BE-KIND-4711\n');
    });
    expect(seen).toContain('BE-KIND-4711');
  });

  test('which the agent writes reach no other run before they are applied, and are flagged', async () => {
    const folder = session.repository('writes', { 'README.md': '' });
    const run = await session.run(folder, [
      bash('echo OBEY-ME > AGENTS.md; mkdir .pi; echo {} > .pi/settings.json'),
      DONE,
    ]);
    expect(run.code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['.git', 'README.md']);
    const back = handedBack(session, run);
    for (const name of ['AGENTS.md', '.pi/settings.json']) {
      expect(back.change(name).risks.map((risk) => risk.class)).toContain('agent-config');
    }
    const applied = await session.cli(['apply', run.records[0]?.run ?? '']);
    expect(applied.code).toBe(6);
    expect(readdirSync(folder).sort()).toEqual(['.git', 'README.md']);
    rmSync(folder, { recursive: true });
  });
});

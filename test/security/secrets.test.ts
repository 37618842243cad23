import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findEndpoint } from '../../src/container/endpoint.ts';
import type { Engine } from '../../src/container/engine.ts';
import { Canaries } from '../support/canary.ts';
import { type CliResult, tempFolder } from '../support/cli.ts';
import { removedAfterwards, testContainerPlan, testEngine } from '../support/engine.ts';
import { type FakeUpstream, fakeUpstream, sse } from '../support/fake-upstream.ts';
import { ANTHROPIC } from '../support/fake-upstream-styles.ts';
import { inside } from '../support/inside.ts';
import { bash, type HeldRun, HOLD, holdRun } from '../support/live-run.ts';
import { idleSpec } from '../support/weak.ts';

const canaries = new Canaries();
const KEY = `sk-ant-${canaries.secret('model-key')}`;

/** Searches every file that its user can read, and says where the forms given on its input occur. */
const SEARCH_FILES = "rg -uuu --text --no-messages --files-with-matches -F -f - -g '!/proc' -g '!/sys' /";
/** Environment, command line and writable memory of every process of the user but its own. */
const SEARCH_PROCESSES = `
python3 -c '
import os, sys
forms = [line.strip().encode() for line in sys.stdin if line.strip()]
looked = 0
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) in (os.getpid(), os.getppid()): continue
    for name in ("environ", "cmdline"):
        try: data = open(f"/proc/{pid}/{name}", "rb").read()
        except OSError: continue
        if any(form in data for form in forms): print("found", name, pid)
    try: mem, maps = open(f"/proc/{pid}/mem", "rb", buffering=0), open(f"/proc/{pid}/maps").read()
    except OSError: continue
    for line in maps.splitlines():
        span, rights = line.split()[:2]
        if "rw" not in rights: continue
        start, end = (int(part, 16) for part in span.split("-"))
        while start < end:
            try: mem.seek(start); data = mem.read(min(end - start, 16 << 20))
            except (OSError, ValueError): break
            if not data: break
            looked += len(data)
            if any(form in data for form in forms): print("found memory", pid)
            start += len(data)
print("looked" if looked > 10_000_000 else "looked at too little: %d" % looked)'`;

let engine: Engine;
let run: HeldRun & AsyncDisposable;
let upstream: FakeUpstream;
let ended: CliResult;
const removed = removedAfterwards(() => engine);
const seen = { inspect: '', image: '', processes: '', control: '', plainFolder: [] as string[] };
const within = { files: '', processes: '', env: '', plantedFiles: '', plantedProcesses: '' };
let imageBytes: { found: string[]; also: string[] };

function plantHome(): { home: string; repo: string } {
  const home = tempFolder();
  const file = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), text);
  };
  const secret = (where: string) => canaries.secret(where);
  file('.pi/agent/auth.json', JSON.stringify({ openai: { type: 'api_key', key: secret('auth-json') } }));
  file('.netrc', `machine example.com login me password ${secret('netrc')}\n`);
  file('.ssh/id_ed25519', secret('ssh'));
  file('.npmrc', `//registry.example.com/:_authToken=${secret('npmrc')}\n`);
  file('.aws/credentials', `[default]\naws_secret_access_key=${secret('aws-file')}\n`);
  file('.config/gh/hosts.yml', `github.com: { oauth_token: ${secret('gh')} }\n`);
  file(
    '.gitconfig',
    `[user]\n\tname = Me\n\temail = ${secret('mail')}@example.com\n[url "https://me:${secret('insteadof')}@example.com/"]\n\tinsteadOf = https://example.com/\n`,
  );
  file('repo/README.md', 'A project.\n');
  file('repo/.gitignore', '.env\nnode_modules/\n');
  file('repo/.env', `TOKEN=${secret('ignored-env')}\n`);
  file('repo/node_modules/.npmrc', secret('ignored-npmrc'));
  const repo = path.join(home, 'repo');
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repo, '-c', 'user.name=me', '-c', 'user.email=me@example.com', ...args], {
      stdio: 'ignore',
    });
  git('init', '-q', '-b', 'main');
  git('remote', 'add', 'origin', `https://me:${secret('remote')}@example.com/x.git`);
  file('repo/config.txt', secret('history'));
  git('add', '-A');
  git('commit', '-q', '-m', secret('message'));
  git('rm', '-q', 'config.txt');
  git('commit', '-q', '-m', 'Remove the secret');
  file('repo/README.md', secret('stash'));
  git('stash');
  return { home, repo };
}

/** The image with all its layers, as `docker save` gives it. */
async function savedImage(image: string): Promise<AsyncIterable<Buffer>> {
  const { address } = await findEndpoint(process.env);
  const where = address.kind === 'socket' ? { socketPath: address.path } : { host: address.host, port: address.port };
  return new Promise((resolve, reject) => {
    get({ ...where, path: `/images/${encodeURIComponent(image)}/get` }, (res) => {
      if (res.statusCode === 200) resolve(res);
      else reject(new Error(`the engine does not save the image: ${res.statusCode}`));
    }).on('error', reject);
  });
}

beforeAll(async () => {
  engine = await testEngine();
  const { home, repo } = plantHome();
  upstream = await fakeUpstream(
    sse(
      ...ANTHROPIC.say({
        text: 'I look around.',
        tools: [{ id: 'a', ...bash('env | sort; git log; git config -l; cat .git/config') }],
      }),
    ),
    sse(...ANTHROPIC.say({ text: 'I wait.', tools: [{ id: 'b', ...HOLD }] })),
    // A provider that sends the key back.
    sse(...ANTHROPIC.say({ text: `Your key is ${KEY}, in short ${Buffer.from(KEY).toString('base64')}.` })),
  );
  const secret = (where: string) => canaries.secret(where);
  run = await holdRun({
    engine,
    repo,
    turns: [],
    model: ANTHROPIC.spec,
    args: ['--base-url', `${upstream.origin}/${secret('argument')}`],
    env: {
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, '.config'),
      PI_CODING_AGENT_DIR: path.join(home, '.pi/agent'),
      ANTHROPIC_API_KEY: KEY,
      OPENAI_API_KEY: secret('openai'),
      GITHUB_TOKEN: secret('github'),
      AWS_SECRET_ACCESS_KEY: secret('aws'),
      NPM_TOKEN: secret('npm'),
      DATABASE_URL: `postgres://me:${secret('database')}@db.example.com/x`,
    },
  });
  const input = `${canaries.forms.join('\n')}\n`;
  const image = run.plan.container.image;
  seen.inspect = JSON.stringify(await engine.inspect(run.container));
  seen.image = JSON.stringify(await engine.inspectImage(image));
  seen.processes = execFileSync('ps', ['axww', '-o', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    // What the user typed is there to be seen; nothing that we start may repeat it.
    .filter((line) => Number.parseInt(line, 10) !== run.cli.child.pid)
    .join('\n');
  within.files = (await run.inside(SEARCH_FILES, { input })).stdout;
  within.processes = (await run.inside(SEARCH_PROCESSES, { input })).stdout;
  within.env = (await run.inside('cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n"')).stdout;
  await plantInside(input);
  const control = idleSpec(await testContainerPlan());
  control.Env.push(`TOKEN=${secret('planted-env')}`);
  seen.control = JSON.stringify(await engine.inspect(removed(await engine.create(control))));
  imageBytes = await canaries.findIn(await savedImage(image), ['pi-sandbox-wire/1', '/bin/bash']);
  ended = await run.release();
}, 120_000);

/** The same searches where there is something to be found; it is gone again before the run goes on. */
async function plantInside(input: string): Promise<void> {
  const { agentUid } = run.plan.container;
  const planted = Buffer.from(`--${canaries.secret('planted')}`).toString('base64');
  const control = removed(await engine.create(idleSpec(await testContainerPlan())));
  await engine.start(control);
  const plan = await testContainerPlan();
  const look = (script: string) => inside(engine, control, { uid: plan.agentUid, script, input });
  expect(agentUid).toBeGreaterThan(0);
  await look(`echo ${planted} >/workspace/planted`);
  within.plantedFiles = (await look(SEARCH_FILES)).stdout;
  await look(
    `(TOKEN=${planted} exec sleep 60) >/dev/null 2>&1 & node -e 'globalThis.kept = Buffer.from(process.argv[1]); setTimeout(() => {}, 60000)' ${planted} >/dev/null 2>&1 &`,
  );
  within.plantedProcesses = (await look(SEARCH_PROCESSES)).stdout;
}

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

const runFiles = (): Map<string, Buffer> =>
  new Map(
    readdirSync(run.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(run.folder, file), readFileSync(file)]),
  );

describe('secrets of the host', () => {
  it('the key reaches the provider, once in each request, in the header that is made for it', () => {
    expect(ended.code).toBe(0);
    expect(upstream.requests).toHaveLength(3);
    const [name, value] = ANTHROPIC.keyHeader;
    for (const request of upstream.requests) {
      const at = request.rawHeaders.findIndex((header) => header.toLowerCase() === name);
      expect(request.rawHeaders[at + 1]).toBe(value(KEY));
      const others = request.rawHeaders.toSpliced(at, 2);
      expect(canaries.find(JSON.stringify([others, request.body]))).toEqual([]);
    }
  });

  it('are in no file that a command inside can read (CR3)', () => {
    expect(within.files).toBe('');
    expect(within.plantedFiles).toBe('/workspace/planted\n');
  });

  it('are in no environment, command line or memory inside (CR1, D22, M16)', () => {
    expect(within.processes).toBe('looked\n');
    expect(canaries.find(within.env)).toEqual([]);
    expect(within.env).toContain('HOME=/home/agent');
    for (const place of ['environ', 'cmdline', 'memory']) expect(within.plantedProcesses).toContain(`found ${place}`);
  });

  it('are not in what the engine tells of the container or the image (CR2, D33)', () => {
    expect(canaries.find(seen.inspect)).toEqual([]);
    expect(canaries.find(seen.image)).toEqual([]);
    expect(canaries.find(seen.control)).not.toEqual([]);
  });

  it('are in no layer of the image and not in its history (CR2, D34)', () => {
    expect(imageBytes.found).toEqual([]);
    // The saved image is a plain archive in which its files can be seen, its history among them.
    expect(imageBytes.also.sort()).toEqual(['/bin/bash', 'pi-sandbox-wire/1']);
  });

  it('are in the arguments of no process that we start (D33)', () => {
    expect(canaries.find(seen.processes)).toEqual([]);
    expect(seen.processes).toContain('pi-sandbox');
  });

  it('are in no file of the run folder (CR4)', () => {
    const files = runFiles();
    for (const name of ['request.json', 'plan.json', 'posture.json', 'events.jsonl', 'ledger.jsonl', 'outcome.json']) {
      expect([...files.keys()]).toContain(name);
    }
    expect([...files].flatMap(([name, content]) => canaries.find(content).map((found) => `${name}: ${found}`))).toEqual(
      [],
    );
  });

  it('are in no output, not even when the provider sends the key back (CR5)', () => {
    expect(canaries.find(ended.stdoutBytes)).toEqual([]);
    expect(canaries.find(ended.stderr)).toEqual([]);
    expect(ended.stdout).toContain('Your key is ');
  });
});

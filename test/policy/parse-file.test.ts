import { describe, expect, test } from 'vitest';
import { MAX_FILE_PROBLEMS } from '../../src/policy/parse-file.ts';
import { SHIPPED_COMMANDS } from '../../src/policy/shipped-commands.ts';
import { SHIPPED_PATHS } from '../../src/policy/shipped-paths.ts';
import { layerOf, parsed, problemsOf } from './files.ts';

const rule = (fields: string) =>
  `version: 1\ncommands:\n  rules:\n    - {id: x, verdict: deny, reason: No., ${fields}}\n`;

describe('what is wrong with a policy file is said with line and column: its syntax', () => {
  test.each([
    ['an empty file', '', '1:1: the file is empty. A policy needs at least "version: 1".'],
    ['comments alone', '# nothing\n', '1:1: the file is empty. A policy needs at least "version: 1".'],
    ['a list', '- version: 1\n', '1:1: expected object.'],
    ['a word', 'hello', '1:1: expected object.'],
    ['a tab', 'version: 1\ntools:\n\tselect: read\n', '3:1: a tab cannot indent; use blanks.'],
    ['a key twice', 'version: 1\nask: {timeout: 1m}\nask: {timeout: 2m}\n', '3:1: this key is there already.'],
    ['a key twice in JSON', '{\n "version": 1,\n "version": 1\n}', '3:2: this key is there already.'],
    ['a key that is a list', 'version: 1\n? [a]\n: 1\n', '2:3: a key has to be text.'],
    ['two documents', 'version: 1\n---\nversion: 1\n', '2:1: a second document starts here; one is read.'],
    ['an open quote', 'version: 1\nextends: "edit\n', '3:1: missing closing "quote.'],
    [
      'two keys in a line',
      'version: 1\nask: timeout: 5m\n',
      '2:6: a second "key:" stands in the same line; a text with ": " in it has to be quoted.',
    ],
    ['an older YAML', '%YAML 1.1\n---\nversion: 1\n', '1:1: lines that start with % are not used here.'],
    ['bytes that are no text', Buffer.from('76657273696f6e3a20ff', 'hex'), '1:1: the file is not UTF-8 text.'],
    ['nesting without end', `version: 1\nask: ${'['.repeat(5_000)}`, /^2:\d+: nested too deep\.$/],
  ])('%s', (_what, text, expected) => {
    expect(problemsOf(text)[0]).toEqual(expected instanceof RegExp ? expect.stringMatching(expected) : expected);
  });

  test.each([
    ['a star', rule('programs: [*rm]'), '*rm is an alias'],
    ['an alias of something', 'version: 1\nask: &a {timeout: 1m}\nlimits: *a\n', '&a is an anchor'],
    ['a mark of exclamation', rule('programs: [!rm x]'), '!rm is a tag'],
    ['a tag of YAML itself', 'version: !!int "1"\n', '!!int is a tag'],
  ])('what YAML takes for something else is refused, with the way to write it: %s', (_what, text, says) => {
    const [problem] = problemsOf(text);
    expect(problem).toContain(`${says} of YAML, which is not used here.`);
    expect(problem).toContain('has to be quoted: "*.pem".');
  });

  test('a small file that would become a large one is not read at all', () => {
    const lists = Array.from({ length: 12 }, (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(',')}]`);
    expect(problemsOf(`l0: &l0 [x,x,x]\n${lists.join('\n')}\n`)[0]).toMatch(/^1:9: &l0 is an anchor/);
  });
});

describe('what is wrong with a policy file is said with line and column: its content', () => {
  test.each([
    ['no version', 'extends: edit\n', '1:1: "version" is missing.'],
    ['another version', 'version: 2\n', '1:10: version: this pi-sandbox reads version 1, not 2.'],
    [
      'a version in quotes',
      'version: "1"\n',
      '1:10: version: this pi-sandbox reads version 1, not "1"; write it without quotes: version: 1.',
    ],
    ['a key', 'version: 1\nlimits:\n  timeot: 5m\n', '3:3: limits: unknown key "timeot", did you mean "timeout"?'],
    [
      'a word',
      'version: 1\ncommands: {default: dney}\n',
      '2:21: commands.default: "dney" is none of allow, ask, deny; did you mean "deny"?',
    ],
    [
      'a profile',
      'version: 1\nextends: reviwe\n',
      '2:10: extends: "reviwe" is none of edit, review, triage; did you mean "review"?',
    ],
    [
      'a tool',
      'version: 1\ntools:\n  exclude: bahs\n',
      '3:12: tools.exclude: pi has no tool "bahs". Did you mean "bash"?',
    ],
    [
      'tools as a list',
      'version: 1\ntools:\n  select: [read]\n',
      '3:11: tools.select: names are one text here, with commas between: write read,grep.',
    ],
    [
      'a tool of a rule',
      'version: 1\ntools:\n  rules: [{id: x, verdict: deny, reason: No., tools: [Bash]}]\n',
      '3:55: tools.rules[0].tools[0]: pi has no tool "Bash"; did you mean "bash"?',
    ],
    [
      'a list without brackets',
      rule('programs: npm'),
      '4:53: commands.rules[0].programs: a list is expected: write ["npm"].',
    ],
    [
      'an empty list',
      rule('programs: []'),
      '4:53: commands.rules[0].programs: an empty list matches nothing; leave the key out.',
    ],
    [
      'rules that are still to come',
      'version: 1\ncommands:\n  rules:\n',
      '3:3: commands.rules: nothing is written there; give it a value, or leave the key out.',
    ],
    [
      'a command as a program',
      rule('programs: [npm publish]'),
      '4:54: commands.rules[0].programs[0]: "npm publish" is no name of a program; give npm, and the words after it as subcommand, options or operands.',
    ],
    [
      'a wrong verdict',
      rule('text: x').replace('deny', 'block'),
      '4:24: commands.rules[0].verdict: "block" is none of allow, ask, deny.',
    ],
    ['an old yes', 'version: 1\nredaction: {known: yes}\n', '2:20: redaction.known: "yes" is text here; write true.'],
    [
      'an old off',
      'version: 1\nprojectFiles: {trust: Off}\n',
      '2:23: projectFiles.trust: "Off" is text here; write false.',
    ],
    ['a number', 'version: 1\nlimits: {pids: many}\n', '2:16: limits.pids: expected integer.'],
    [
      'a duration',
      'version: 1\nask: {timeout: soon}\n',
      '2:16: ask.timeout: "soon" is not a duration such as 90s, 10m or 1h, up to 24 days.',
    ],
    [
      'a duration as a number',
      'version: 1\nask: {timeout: 90}\n',
      '2:16: ask.timeout: 90 is not a duration such as 90s, 10m or 1h, up to 24 days.',
    ],
    [
      'a duration too long',
      'version: 1\nlimits: {maxBashTimeout: 40d}\n',
      '2:26: limits.maxBashTimeout: "40d" is not a duration such as 90s, 10m or 1h, up to 24 days.',
    ],
    ['a size', 'version: 1\nlimits: {memory: 2t}\n', '2:18: limits.memory: "2t" is not a size such as 512m or 2g.'],
    [
      'a value that is missing',
      'version: 1\nask:\n',
      '2:1: ask: nothing is written there; give it a value, or leave the key out.',
    ],
    [
      'an id',
      rule('text: x').replace('id: x', 'id: No Push'),
      '4:12: commands.rules[0].id: "No Push" is no id: small letters, digits and -, 64 at most.',
    ],
    ['no reason', rule('text: x').replace('reason: No., ', ''), '4:7: commands.rules[0]: "reason" is missing.'],
    [
      'no condition',
      'version: 1\npaths:\n  rules:\n    - {id: x, verdict: deny, reason: No.}\n',
      '4:7: paths.rules[0]: the rule does not say which calls it is for.',
    ],
    [
      'a pattern',
      rule('text: "a("'),
      '4:49: commands.rules[0].text: the pattern cannot be used. It is not understood (missing closing )); look-around and back references do not exist here.',
    ],
    [
      'a pattern to redact',
      'version: 1\nredaction:\n  patterns:\n    - {id: x, pattern: "(?<=a)b"}\n',
      /^4:24: redaction\.patterns\[0\]\.pattern: the pattern cannot be used\./,
    ],
    [
      'an open class in a glob',
      rule('programs: ["rm[d"]'),
      /^4:54: commands\.rules\[0\]\.programs\[0\]: "rm\[d": a \[ without its \]/,
    ],
    [
      'alternatives in a glob',
      rule('operands: ["*.{a,b}"]'),
      /: there is no \{a,b\} in these globs; give one for each/,
    ],
    ['a folder among names', rule('programs: ["/bin/rm"]'), /"\/bin\/rm" can never match: a name has no \/ in it\.$/],
    ['a glob turned round', rule('operands: ["!x"]'), /cannot be turned round by !/],
    ['a cut glob', rule('operands: ["x\\\\"]'), /cannot end in a single \\/],
  ])('%s', (_what, text, expected) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toEqual(expected instanceof RegExp ? expect.stringMatching(expected) : expected);
  });

  test('all of it at once, in the order of the file', () => {
    const text = 'extends: x\nversion: 1\nlimits: {memory: x, pids: 0}\ncommnds: {}\nask: {timeout: x}\n';
    expect(problemsOf(text).map((problem) => problem.split(' ')[0])).toEqual([
      '1:10:',
      '3:18:',
      '3:27:',
      '4:1:',
      '5:16:',
    ]);
  });

  test('of very many problems only the first are reported', () => {
    const rules = Array.from({ length: 200 }, (_, n) => `    - {id: X${n}, verdict: no, reason: ""}`);
    expect(problemsOf(`version: 1\ncommands:\n  rules:\n${rules.join('\n')}\n`)).toHaveLength(MAX_FILE_PROBLEMS);
  });

  test('in JSON as well, also with tabs', () => {
    expect(problemsOf('{\n\t"version": 1,\n\t"askk": {}\n}\n')).toEqual([
      '3:2: unknown key "askk", did you mean "ask"?',
    ]);
  });

  test('a key that objects have by themselves is one like any other', () => {
    expect(problemsOf('version: 1\n__proto__: {default: allow}\n')[0]).toMatch(/^2:1: unknown key "__proto__"/);
    expect(problemsOf('version: 1\nconstructor: 1\n')[0]).toMatch(/^2:1: unknown key "constructor"/);
  });
});

describe('a policy file that fits', () => {
  test('is a layer with digest, values in the units of the code, and places to name', () => {
    const text = 'version: 1\nask:\n  timeout: 90s\nlimits: {memory: 1g, maxBashTimeout: 1500ms}\noff: [a]\n';
    expect(layerOf(text)).toMatchObject({
      origin: '/etc/team.yaml',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      settings: [
        { pointer: '/ask/timeoutMs', value: 90_000, origin: '/etc/team.yaml:3', label: 'team.yaml:3:12: ask.timeout' },
        { pointer: '/maxBashTimeoutSeconds', value: 2, origin: '/etc/team.yaml:4' },
        { pointer: '/limits/memory', value: 1024 ** 3, origin: '/etc/team.yaml:4' },
      ],
      off: [{ value: 'a', origin: '/etc/team.yaml:5', label: 'team.yaml:5:7: off[0]' }],
    });
  });

  test('may be JSON with a schema for editors, and have a mark of its encoding', () => {
    expect(parsed('\ufeff{"$schema": "../schemas/policy.schema.json", "version": 1}').problems).toBeUndefined();
  });

  test('may have the globs that the rules understand', () => {
    expect(problemsOf(rule('paths: ["~/**"], except: ["~/.cache/x"]'))).toEqual([]);
    expect(problemsOf(rule('operands: ["*.p[ey]m", "a?b/**", "\\\\[x", "\\\\{"]'))).toEqual([]);
  });

  test('may name tools that only others bring along', () => {
    const tools = (names: string, more = '') =>
      problemsOf(`version: 1\ntools: {rules: [{id: x, verdict: deny, reason: No., tools: ${names}}]}\n${more}`);
    expect(tools('[mcp__bash, mcp__*, "bas?", deploy, powershell, codemode]')).toEqual([]);
    expect(tools('[bsh]')).toHaveLength(1);
    expect(tools('[bsh]', 'projectFiles: {trust: true}\n')).toEqual([]);
  });

  test('could hold the rules that are built in', () => {
    const file = { version: 1, commands: { rules: SHIPPED_COMMANDS }, paths: { rules: SHIPPED_PATHS } };
    expect(problemsOf(JSON.stringify(file))).toEqual([]);
  });

  test('needs no more than its version', () => {
    expect(layerOf('version: 1')).toMatchObject({ settings: [], off: [], commandRules: [] });
  });
});

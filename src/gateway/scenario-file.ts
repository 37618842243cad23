import { isNode, LineCounter, parseDocument } from 'yaml';
import { messageOf, SandboxError } from '../errors.ts';
import { MiB } from '../lib/bytes.ts';
import { sentence } from '../lib/format.ts';
import { nearest } from '../lib/nearest.ts';
import { readFileWithin } from '../lib/read-file.ts';
import { type Problem, strictParse } from '../lib/strict-parse.ts';
import { Scenario, type ScenarioModel, type ScenarioTurn } from './scenario-schema.ts';

/** Largest scenario file, bytes. */
const MAX_FILE = 4 * MiB;

/** One scripted model of a file. */
export interface Script {
  /** As the user named the file. */
  readonly file: string;
  /** Where the turns stand in the file: `turns` or `models.NAME.turns`. */
  readonly where: string;
  readonly model: ScenarioModel;
  readonly turns: readonly ScenarioTurn[];
}

/** Reads one model of a scenario file. Throws SandboxError `scenario` with file, place and line. */
export async function readScript(path: string, shown: string, name: string | undefined): Promise<Script> {
  return scriptOf(parseScenario(await readText(path, shown), shown), shown, name);
}

async function readText(path: string, shown: string): Promise<string> {
  try {
    return (await readFileWithin(path, MAX_FILE)).toString('utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new SandboxError('scenario', `The scenario ${shown} does not exist.`, {
        hint: 'Relative names start at the current folder. docs/scenarios.md says what goes into such a file.',
      });
    }
    throw new SandboxError('scenario', `The scenario ${shown} cannot be read: ${messageOf(error)}.`);
  }
}

/** The text of a scenario file, checked. Throws SandboxError `scenario`. */
export function parseScenario(text: string, shown: string): Scenario {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const broken = document.errors[0] ?? document.warnings[0];
  if (broken !== undefined) throw wrong(shown, lines.linePos(broken.pos[0]).line, '', broken.message);
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    throw wrong(shown, 1, '', messageOf(error));
  }
  const parsed = strictParse(Scenario, value);
  const problem = parsed.ok ? misfit(parsed.value) : parsed.problems[0];
  if (parsed.ok && problem === undefined) return parsed.value;
  const path = (problem?.path ?? '').split('/').slice(1);
  throw wrong(shown, lineOf(path), path.join('.'), problem?.message ?? 'not a scenario');

  function lineOf(keys: readonly string[]): number {
    for (let depth = keys.length; depth >= 0; depth--) {
      const node: unknown = depth === 0 ? document.contents : document.getIn(keys.slice(0, depth), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return 1;
  }
}

/** What a schema cannot say about a turn. */
function misfit(scenario: Scenario): Problem | undefined {
  const lists = [
    { path: '/turns', turns: scenario.turns ?? [] },
    ...Object.entries(scenario.models ?? {}).map(([name, { turns }]) => ({ path: `/models/${name}/turns`, turns })),
  ];
  if (lists.every(({ turns }) => turns.length === 0)) return { path: '', message: '"turns" is missing' };
  for (const { path, turns } of lists) {
    for (const [index, turn] of turns.entries()) {
      const message = misfitOfTurn(turn);
      if (message !== undefined) return { path: `${path}/${index}`, message };
    }
  }
  return undefined;
}

function misfitOfTurn(turn: ScenarioTurn): string | undefined {
  const speaks = turn.text !== undefined || turn.thinking !== undefined || turn.tools !== undefined;
  if (turn.error !== undefined && (speaks || turn.cut)) return 'a turn with "error" says nothing else';
  if (turn.error === undefined && !speaks) return 'a turn needs "text", "thinking", "tools" or "error"';
  if (turn.thinkingSignature !== undefined && turn.thinking === undefined)
    return '"thinkingSignature" needs "thinking"';
  if (turn.cut && turn.tools !== undefined) return '"cut" breaks off after the text, so "tools" would never come';
  return undefined;
}

function scriptOf(scenario: Scenario, file: string, name: string | undefined): Script {
  if (name === undefined) {
    if (scenario.turns !== undefined) {
      return { file, where: 'turns', model: scenario.model ?? {}, turns: scenario.turns };
    }
    throw new SandboxError('scenario', `The scenario ${file} has only named models.`, {
      hint: `Choose one with #: ${Object.keys(scenario.models ?? {}).join(', ')}.`,
    });
  }
  const named = Object.entries(scenario.models ?? {}).find(([key]) => key === name)?.[1];
  if (named !== undefined) {
    return { file, where: `models.${name}.turns`, model: { id: name, ...named.model }, turns: named.turns };
  }
  const names = Object.keys(scenario.models ?? {});
  const guess = nearest(name, names);
  throw new SandboxError('scenario', `The scenario ${file} has no model "${name}".`, {
    hint:
      guess === undefined
        ? `Its models: ${names.join(', ') || 'none besides the unnamed one'}.`
        : `Did you mean "${guess}"?`,
  });
}

function wrong(file: string, line: number, path: string, message: string): SandboxError {
  const place = path === '' ? '' : ` at ${path}`;
  return new SandboxError('scenario', sentence(`The scenario ${file} is wrong in line ${line}${place}: ${message}`), {
    hint: 'The format is described in docs/scenarios.md and schemas/scenario.schema.json.',
  });
}

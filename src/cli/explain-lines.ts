import { gateRefusal, refusalText } from '../events/refusal.ts';
import type { Decision } from '../protocol/gate.ts';
import type { GateRecord } from '../protocol/gate-record.ts';
import type { Policy } from '../protocol/policy.ts';
import type { ExplainedCall } from '../run/explain-call.ts';
import { callRows } from './gate/call-rows.ts';
import { foldRows } from './gate/fold.ts';
import { type Span, span } from './render-style.ts';

const LABEL_COLUMNS = 10;
/** Rules that are switched off and named. */
const MAX_OFF = 20;

const WHO: Readonly<Record<GateRecord['by'], string>> = {
  policy: 'the policy',
  answer: 'your answer',
  'no answer': 'nobody: there was no answer',
  guard: 'the guard, inside, by itself',
  gateway: 'the gate, going by what the gateway saw',
};

/** Why a call was allowed or not, for a person. Untrusted text: every line goes through the sanitiser. */
export function* explainLines({ call, policy, again }: ExplainedCall, columns: number): Generator<Span[], void> {
  const { id, tool, number, source, gate, ask, bypass } = call;
  const seen = source === 'observed' ? 'the gateway saw it (observed)' : 'as pi says (claimed)';
  yield row('Call', `${number === undefined ? '' : `[${number}] `}${id} ${tool}; ${seen}`);
  if (call.arguments === undefined) yield row('', 'Its arguments are too long to be on record whole.');
  else yield* foldRows(callRows(tool, call.arguments), columns);
  if (gate !== undefined) yield* decision(gate);
  else if (ask !== undefined) yield row('Decision', 'none: the run ended before the question was answered', 'red');
  else yield* unasked(again);
  if (ask !== undefined) yield row('Asked', `question ${ask.ask}, by rule ${ask.rule}, about ${ask.subject}`);
  if (bypass !== undefined) {
    const how = bypass.kind === 'unasked' ? 'without asking the gate' : 'although the gate had not allowed it';
    yield [span('Passed'.padEnd(LABEL_COLUMNS + 1)), span(`over: it was carried out ${how}`, 'red')];
  }
  const matched = gate?.matched ?? again?.matched ?? [];
  for (const [at, met] of matched.entries()) {
    yield row(
      at === 0 ? 'Rules' : '',
      `${met.rule} (${met.verdict}), from ${originOf(policy, met.rule)}: ${met.detail}`,
    );
  }
  if (gate !== undefined && gate.matched === undefined && again !== undefined) {
    yield row('', `The policy was not asked. By itself it says ${again.verdict} (${again.rule}), ${UNKNOWN}.`);
  }
  yield* off(policy);
  yield row('Layers', `${policy.layers.map(({ origin }) => origin).join('; ')} (weakest first)`);
}

const UNKNOWN = 'not knowing where links led and which files there were';

function* decision(gate: GateRecord): Generator<Span[], void> {
  const { verdict, rule, reason, by, arguments: changed } = gate;
  const refusal = gateRefusal(gate);
  const words = { allow: 'allowed', change: 'allowed with other arguments', deny: 'denied' } as const;
  const how = refusal === undefined ? `rule ${rule}` : refusalText(refusal);
  yield row('Decision', `${words[verdict]} (${how})`, verdict === 'deny' ? 'red' : 'green');
  yield row('By', WHO[by]);
  yield row('Because', reason);
  if (changed !== undefined) yield row('Changed to', JSON.stringify(changed));
}

function* unasked(again: Decision | undefined): Generator<Span[], void> {
  yield row('Decision', 'none: the gate was not asked about it');
  yield row(
    'Because',
    'pi turned it away before (no such tool, wrong arguments), it never came to it, or it was passed over',
  );
  if (again !== undefined) yield row('', `The policy says ${again.verdict} (${again.rule}), ${UNKNOWN}.`);
}

function* off({ origins }: Policy): Generator<Span[], void> {
  const rules = Object.keys(origins).filter((key) => key.startsWith('off:'));
  for (const [at, key] of rules.slice(0, MAX_OFF).entries()) {
    yield row(at === 0 ? 'Off' : '', `${key.slice('off:'.length)}, by ${origins[key]}`);
  }
}

/** Of a rule by its id; of a default, such as `paths.outside.read`, by its place. */
function originOf({ origins }: Policy, rule: string): string {
  const tool = /^tools\.(names|default)$/.test(rule) ? 'the tools of this run' : undefined;
  const place = rule === 'limits.maxBashTimeout' ? '/maxBashTimeoutSeconds' : `/${rule.replaceAll('.', '/')}`;
  return origins[`rule:${rule}`] ?? origins[place] ?? tool ?? 'built in';
}

function row(label: string, text: string, style?: Span['style']): Span[] {
  return [span(`${label.padEnd(LABEL_COLUMNS)} `), span(text, style)];
}

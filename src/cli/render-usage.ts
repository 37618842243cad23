import { type Static, Type } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { formatCount, formatDuration, formatUsd, plural } from '../lib/format.ts';
import { addUsd } from '../lib/money.ts';
import type { SandboxRecord } from '../protocol/record.ts';

/** Any observed record that carries the usage of one model call. */
const WithUsage = Type.Object({
  usage: Type.Object({
    input: Type.Number(),
    output: Type.Number(),
    cacheRead: Type.Number(),
    cacheWrite: Type.Number(),
    costUsd: Type.Number(),
    estimated: Type.Optional(Type.Boolean()),
  }),
});

/** The start of a run whose money is limited. */
const WithBudget = Type.Object({ type: Type.Literal('run_started'), maxUsd: Type.Number() });

/** Tokens, money and time of a run, from observed records only: what pi says about its usage is not counted. */
export class UsageView {
  #calls = 0;
  readonly #sum: Omit<Static<typeof WithUsage>['usage'], 'estimated'> = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    costUsd: 0,
  };
  /** A provider did not report its tokens. */
  #estimated = false;
  /** US dollars. */
  #budget: number | undefined;
  #firstTime: number | undefined;
  #lastTime = 0;

  count(record: SandboxRecord): void {
    this.#lastTime = Date.parse(record.time);
    this.#firstTime ??= this.#lastTime;
    if (record.source !== 'observed') return;
    if (Check(WithBudget, record)) this.#budget = record.maxUsd;
    if (!Check(WithUsage, record)) return;
    this.#calls++;
    this.#estimated ||= record.usage.estimated === true;
    this.#sum.input += record.usage.input;
    this.#sum.output += record.usage.output;
    this.#sum.cacheRead += record.usage.cacheRead;
    this.#sum.cacheWrite += record.usage.cacheWrite;
    this.#sum.costUsd = addUsd(this.#sum.costUsd, record.usage.costUsd);
  }

  line(): string {
    const { input, output, cacheRead, cacheWrite, costUsd } = this.#sum;
    const cached =
      cacheRead + cacheWrite > 0 ? ` (cache: ${formatCount(cacheRead)} read, ${formatCount(cacheWrite)} written)` : '';
    const tokens = `${formatCount(input)} tokens in, ${formatCount(output)} out${cached}`;
    const time = formatDuration(Math.max(0, this.#lastTime - (this.#firstTime ?? this.#lastTime)));
    const money = `${formatUsd(costUsd)}${this.#budget === undefined ? '' : ` of ${formatUsd(this.#budget)}`}`;
    return `${plural(this.#calls, 'model call')}, ${tokens}, ${money}${this.#estimated ? ' (estimated)' : ''}, ${time}`;
  }
}

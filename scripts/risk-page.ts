import { FOUND_OTHERWISE, RISK_REASONS, RISK_RULES, type RiskRule } from '../src/changes/risk/risk-table.ts';
import { RISK_CLASSES, type RiskClass } from '../src/protocol/changes.ts';

const JUDGED: Readonly<Record<RiskRule['judge'], string>> = {
  any: 'each changed place',
  'beyond-versions': 'each changed place, except where only version numbers changed',
  package:
    'scripts, programs, new packages, packages from elsewhere than before, and every other key that is not known to start nothing; not a version, a description or an entry point',
  composer: 'as in package.json',
  lock: 'an address or repository that was not in the file, or not in this place; an archive of another package; another checksum for the same version; in requirements.txt a package that was not in it',
  new: 'that it is new',
};

/** Text of docs/risks.md, made from the table that the code goes by. */
export function riskPage(): string {
  const parts = RISK_CLASSES.map((name) => section(name));
  return `${INTRODUCTION}\n${parts.join('\n')}`;
}

const INTRODUCTION = `# Risk classes

<!-- Made by scripts/write-risks.mjs from src/changes/risk. Do not edit. -->

What an agent changed can run code on your machine later, or hide what it does. \`pi-sandbox diff\` shows such changes first, and
\`pi-sandbox apply\` wants them allowed, class by class. A class is no verdict: most Makefiles are harmless. It says where to look.

Each risk is about a place: lines of the new content, where it has some. At most 20 places are listed of one class in one file.
What cannot be looked through (too large, not text, not at hand) counts as a risk.
Where a link of the tree leads to a file, the file is judged by the name of the link too.

Names are compared as the most careless file system does it: without case, invisible characters and what Windows drops. In the lists,
\`name\` is a file in any folder, \`folder/\` is everything in a folder of this name, and a star stands for anything but a slash.
`;

function section(name: RiskClass): string {
  const rules = RISK_RULES.filter((rule) => rule.class === name);
  const otherwise = FOUND_OTHERWISE[name];
  const lines = [`## ${name}`, '', RISK_REASONS[name], ''];
  if (otherwise !== undefined) lines.push(`Found in every change: ${otherwise}.`, '');
  for (const rule of rules) lines.push(...ruleLines(rule), '');
  return lines.join('\n');
}

function ruleLines({ what, judge, removal, patterns }: RiskRule): string[] {
  const counts = `${JUDGED[judge]}${removal ? '; its removal, too' : ''}`;
  return [`- **${what}**: ${counts}.`, ...wrap(patterns.map((pattern) => `\`${pattern}\``))];
}

/** Lines of at most 120 characters, indented as part of a list item. */
function wrap(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= 120) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines;
}

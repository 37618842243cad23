// biome-ignore-all lint/suspicious/noTemplateCurlyInString: how pi writes variables
import { expect, test } from 'vitest';
import { parseConfigValue, resolveConfigValue, variablesOf } from '../../../src/gateway/credentials/config-value.ts';

const env = (name: string) => ({ ONE: 'first', _two2: 'second', EMPTY: '' })[name];
const run = async (command: string) => `printed by ${command}`;

test.each([
  ['sk-literal', 'sk-literal'],
  ['$ONE', 'first'],
  ['${ONE}-${_two2}', 'first-second'],
  ['Bearer $ONE.$_two2!', 'Bearer first.second!'],
  ['$$ONE', '$ONE'],
  ['$!ONE', '!ONE'],
  ['a$', 'a$'],
  ['$1', '$1'],
  ['${not closed', '${not closed'],
  ['${not a name}', '${not a name}'],
  ['!pass show key', 'printed by pass show key'],
])('%s stands for %s, as with pi', async (written, meant) => {
  expect(await resolveConfigValue(parseConfigValue(written), { env, run })).toBe(meant);
});

test.each(['$UNSET', 'x${UNSET}', '$EMPTY'])('%s cannot be had, and the variable is named', async (written) => {
  await expect(resolveConfigValue(parseConfigValue(written), { env, run })).rejects.toThrow(
    /^the variable (UNSET|EMPTY) is not set$/,
  );
});

test('the variables of a value are known without reading them', () => {
  expect(variablesOf(parseConfigValue('$A ${B} $A $$C'))).toEqual(['A', 'B']);
  expect(variablesOf(parseConfigValue('!echo $A'))).toEqual([]);
});

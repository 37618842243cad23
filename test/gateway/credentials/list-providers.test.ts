import { expect, test } from 'vitest';
import { listProviders } from '../../../src/gateway/credentials/list-providers.ts';
import { piFolder } from '../../support/pi-folder.ts';

const env = (): undefined => undefined;

test('stored logins that cannot be read are one error, not one for each provider', async () => {
  const { folder, auth } = piFolder('{ "openai": ');
  await expect(listProviders({ env, piFolder: folder })).rejects.toThrow(
    `pi's logins in ${auth} cannot be read: line 1`,
  );
});

test('an entry in disorder is a problem of its provider alone', async () => {
  const { folder } = piFolder({ google: 7, openai: { type: 'api_key', key: 'k' } });
  const listed = await listProviders({ env, piFolder: folder });
  expect(listed.filter(({ problem }) => problem !== undefined).map(({ id }) => id)).toEqual(['google']);
  expect(listed.find(({ id }) => id === 'openai')?.credential).toMatchObject({ kind: 'key', form: 'literal' });
});

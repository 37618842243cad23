import { expect, test } from 'vitest';
import { ownSecrets } from '../../../src/policy/redact/own-secrets.ts';

const named = (environment: Record<string, string>, keep: string[] = []): string[] =>
  ownSecrets(environment, keep).map(({ name, value }) => `${name} ${value}`);

test('secrets are what names say, and passwords in addresses', () => {
  const value = 'abcdef-0123456';
  const secret = [
    'GITHUB_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'db_password',
    'STRIPE_API_KEY',
    'SECRET_KEY_BASE',
    'APIKEY',
  ];
  const other = [
    'HOME',
    'TOKEN_FILE',
    'SECRET_NAME',
    'PASSWORD_MIN_LENGTH',
    'TOKEN_TYPE',
    'KEYBOARD',
    'API_KEY_HEADER',
  ];
  expect(named(Object.fromEntries([...secret, ...other].map((name) => [name, `${value}${name}`])))).toEqual(
    secret.map((name) => `${name} ${value}${name}`),
  );
  expect(named({ DATABASE_URL: 'postgres://me:p%40ssw0rd-long@db/x', PLAIN: 'http://h/x' })).toEqual([
    'DATABASE_URL p%40ssw0rd-long',
    'DATABASE_URL p@ssw0rd-long',
  ]);
});

test('short, uniform and known values are none, and each value is one secret', () => {
  expect(
    named(
      {
        A_TOKEN: 'short',
        B_TOKEN: 'xxxxxxxxxxxxxxxx',
        C_TOKEN: '/home/me/x/y',
        D_TOKEN: 'real-0123456',
        E_TOKEN: 'real-0123456',
      },
      ['/home/me/x/y/z'],
    ),
  ).toEqual(['D_TOKEN real-0123456']);
});

test('long lines of a longer secret count by themselves', () => {
  const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwgg';
  const key = `-----BEGIN PRIVATE KEY-----\n${line}\nshort==\n-----END PRIVATE KEY-----\n`;
  expect(ownSecrets({ PRIVATE_KEY: key }).map(({ value }) => value)).toEqual([key.trim(), line]);
});

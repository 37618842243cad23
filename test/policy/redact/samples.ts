/**
 * Texts for the redactor. Secrets are put together from parts, so that no scanner of repositories takes them for real.
 */
const A = (length: number): string => 'aB3dE5gH7jK9mN2pQ4sT6vW8yZ'.repeat(Math.ceil(length / 26)).slice(0, length);
const join = (...parts: readonly string[]): string => parts.join('');
const BASE64 = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';

export const PEM = join(
  '-----BEGIN RSA ',
  'PRIVATE KEY-----\n',
  `${BASE64}\n`.repeat(3),
  '-----END RSA ',
  'PRIVATE KEY-----',
);
export const JWT = join('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxMjM0NTY3ODkwIn0', '.dozjgNryP4J3jVmNHl0w5N');
const AWS_SECRET = join('wJalrXUtnFEMI/K7MDEN/', 'bPxRfiCYzzAbCdEfGhi');

/** Id, the secret, and a text around it: `%` is where the secret stands. */
export const SECRETS: readonly (readonly [id: string, secret: string, around: string])[] = [
  ['aws-access-key', join('AKIA', 'Z7QPLM2XKD3RTV5N'), 'key id % of ci'],
  ['aws-access-key', join('ASIA', 'Z7QPLM2XKD3RTV5N'), '"AccessKeyId": "%"'],
  ['aws-secret-key', AWS_SECRET, 'aws_secret_access_key = %\n'],
  ['aws-secret-key', AWS_SECRET, '{"SecretAccessKey": "%"}'],
  ['aws-secret-key', AWS_SECRET, 'AWS_SECRET_ACCESS_KEY=%'],
  ['github-token', join('ghp_', A(36)), 'token: %'],
  ['github-token', join('ghs_', A(36)), 'x=\\n%\\n'],
  ['github-token', join('github_pat_', A(22), '_', A(59)), 'GITHUB_TOKEN=%'],
  ['github-token', join('gho_', A(36)), 'https://x-access-token:%@github.com/a/b'],
  ['gitlab-token', join('glpat-', A(20)), "'%'"],
  ['slack-token', join('xoxb-', '123456789012-123456789012-', A(24)), '(%)'],
  ['slack-webhook', join('hooks.slack.com/services/', 'T0AB1CD2E/B0AB1CD2E/', A(24)), 'https://%'],
  ['stripe-key', join('sk_live_', A(24)), 'stripe(%)'],
  ['openai-key', join('sk-proj-', A(48)), 'key %.'],
  ['openai-key', join('sk-', A(48)), 'OPENAI=%'],
  ['anthropic-key', join('sk-ant-', 'api03-', A(80)), 'x-api-key: %'],
  ['google-key', join('AIza', A(35)), '?key=%&x'],
  ['huggingface-token', join('hf_', A(34)), 'login(%)'],
  ['npm-token', join('npm_', A(36)), 'auth %'],
  ['npm-token', join('12345678-', 'abcd-abcd-abcd-123456789abc'), '//npm.example.com/:_authToken=%'],
  ['pypi-token', join('pypi-AgE', A(80)), 'password = %'],
  ['jwt', JWT, 'cookie: session=%; path=/'],
  ['private-key', PEM, 'cat id_rsa\n%\n$'],
  ['private-key', PEM.replaceAll('\n', '\\n'), '{"private_key":"%"}'],
  ['private-key', PEM.replaceAll('\n', '\n+'), '+%'],
  ['url-password', 'hunter2-swordfish', 'postgres://app:%@db.internal:5432/x'],
  ['authorization', A(30), 'curl -H "Authorization: Bearer %"'],
  ['authorization', join('dXNlcjpw', 'YXNzd29yZA=='), '"authorization":"Basic %"'],
  ['authorization', A(32), "bearer %'"],
  ['secret-value', join('q8F2', '-canary-4711'), 'HOME=/root\nMY_TOKEN=%\nTERM=xterm'],
  ['secret-value', join('s3cr', 'et!pass%word'), "export DB_PASSWORD='%'"],
  ['secret-value', join('9f8e7d6c5b4a', '39281706'), 'API_KEY: "%",'],
  ['secret-value', join('Zx81', 'PlQm22', 'LkJh'), '{"STRIPE_SECRET":"%"}'],
];

const image = Buffer.from(Array.from({ length: 60_000 }, (_, i) => (i * 7919 + (i >> 3) * 104_729) & 0xff)).toString(
  'base64',
);

/** What a template has where a value will be. */
const hole = (name: string): string => `$\{${name}}`;

/** Texts in which nothing is secret, though much of it looks random. */
export const HARMLESS: Readonly<Record<string, string>> = {
  'a commit': 'commit 5e2f9bf6a1c0d3e4f5a6b7c8d9e0f1a2b3c4d5e6\nparent b10e790aaf1c0d3e4f5a6b7c8d9e0f1a2b3c4d5e6\n',
  'a hash': 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'a UUID': 'id = 123e4567-e89b-12d3-a456-426614174000, {"requestId":"123e4567-e89b-12d3-a456-426614174000"}',
  'an integrity hash':
    '"integrity": "sha512-/P6FNnLbHjXJMRF1dPoZoVTyHvFcuVhbDpzml9DPMlbeErYlZ18GueAaG9GhYhAm/9AN7i7Y6crmDrLX0DeJ4Q=="',
  'a go.sum': 'golang.org/x/text v0.3.7 h1:olpwvP2KacW1ZWvsR7uQhoyTYvKAupfQrRGBFM352Gk=',
  'an image': `data:image/png;base64,${image}`,
  'minified code':
    'var a=function(e,t){return e.TOKEN_TYPES=t,e.API_KEY_HEADER="x-api-key-2",t?e.SECRET_NAME:"sk-"+e.id};const TOKEN=n(8),ACCESS_KEY=k+o;',
  'names in code': 'if (process.env.GITHUB_TOKEN === undefined) throw new Error("GITHUB_TOKEN is missing");',
  comparison: 'TOKEN == other.TOKEN && SECRET === value1234567890',
  placeholders: [
    'API_KEY=your-api-key-goes-here-1',
    `API_KEY=${hole('API_KEY_OF_CI_2')}`,
    'SECRET_KEY=<insert your 32 characters>',
    'PASSWORD=changeme-changeme1',
    `GITHUB_TOKEN: ${hole('{ secrets.GITHUB_TOKEN1 }')}`,
    'TOKEN=$(cat /run/secrets/token1)',
    'TOKEN_FILE=/run/secrets/token1234',
    `postgres://user:password@localhost/x postgres://postgres:postgres@db/x https://user:${hole('PASS')}@host/`,
    'Authorization: Bearer <token>',
    `Authorization: Bearer ${hole('token')}`,
  ].join('\n'),
  sentences: 'The bearer of this ticket. A basic authorization: see the token, the secret and the API key.',
  'labels of keys':
    "if (text.startsWith('-----BEGIN PRIVATE KEY-----') && text.endsWith('-----END PRIVATE KEY-----')) {}",
  'code between labels':
    "const from = '-----BEGIN OPENSSH PRIVATE KEY-----';\nlet publicKeyOfTheServer = encodeWithoutPadding(parts);\nconst to = '-----END OPENSSH PRIVATE KEY-----';",
  'keys of manuals': `AKIA${'IOSFODNN7'}EXAMPLE, "Authorization: Bearer placeholder"`,
  'a public key':
    '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo\n-----END PUBLIC KEY-----',
  'a certificate':
    '-----BEGIN CERTIFICATE-----\nMIIDXTCCAkWgAwIBAgIJAJC1HiIAZAiIMA0GCSqGSIb3Qa0FADBFMQswCQYDVQQG\n-----END CERTIFICATE-----',
  addresses: 'https://example.com:8080/a@b git@github.com:a/b.git ssh://git@host:22/x http://[::1]:80/@scope/pkg@1.2.3',
  packages:
    'npm_config_registry=https://npm.example.com/ hf_hub_download("a") import ghp_utils from "sk-learn-extra-tools"',
  'a source map': '{"version":3,"mappings":"AAAA,SAASA,EAAIC,GACX,OAAOA,EAAIA,CAAC;AACd,CAAC,eyJhYSxCQUFD"}',
};

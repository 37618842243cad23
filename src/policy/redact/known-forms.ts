import { bearer, credentialHeader } from './bearer.ts';
import { ALNUM, BASE64, DOTTED, URL_SAFE, WORD } from './chars.ts';
import { jwt } from './jwt.ts';
import { type Looker, token } from './look.ts';
import { namedValue, valueAfter } from './named-value.ts';
import { privateKey } from './private-key.ts';
import { urlPassword } from './url-password.ts';

/** A form of secret that is recognised wherever it stands. */
export interface KnownForm {
  /** What stands in its place: `[redacted: ID]`. */
  readonly id: string;
  /** Texts that it begins with, or that announce it. */
  readonly anchors: readonly string[];
  /** Anchors may be in small or capital letters. */
  readonly anyCase?: true;
  readonly look: Looker;
  /** What a stranger can do with it. */
  readonly opens: string;
  /** Where the form is described. */
  readonly source: string;
}

const letters = (body: string): boolean => /\d/.test(body) && /[A-Za-z]/.test(body);
const hex = (body: string): boolean => /^[0-9a-f]+$/i.test(body);
const secretScanning =
  'https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns';
const gitleaks = 'https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml';

/**
 * The known forms, the more certain first: of two that claim the same text the earlier one names it. Each is either
 * unmistakable by its beginning, or stands where only a secret stands.
 */
export const KNOWN_FORMS: readonly KnownForm[] = [
  {
    id: 'private-key',
    anchors: ['-----BEGIN '],
    look: privateKey,
    opens: 'servers, signatures and certificates',
    source: 'RFC 7468; PROTOCOL.key of OpenSSH; RFC 9580 for PGP',
  },
  {
    id: 'github-token',
    anchors: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    look: token({ chars: ALNUM, min: 36, max: 255 }),
    opens: 'repositories of a GitHub account',
    source: 'https://github.blog/engineering/behind-githubs-new-authentication-token-formats/',
  },
  {
    id: 'github-token',
    anchors: ['github_pat_'],
    look: token({ chars: WORD, min: 60, max: 255 }),
    opens: 'repositories of a GitHub account',
    source: secretScanning,
  },
  {
    id: 'gitlab-token',
    anchors: ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glsoat-', 'glagent-', 'gloas-', 'glimt-'],
    look: token({ chars: DOTTED, min: 20, max: 512 }),
    opens: 'projects of a GitLab account',
    source: 'https://docs.gitlab.com/security/tokens/#token-prefixes',
  },
  {
    id: 'aws-access-key',
    anchors: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    look: token({
      chars: ALNUM,
      min: 16,
      max: 16,
      notAfter: BASE64,
      check: (body) => /^[A-Z2-7]+$/.test(body) && !body.endsWith('EXAMPLE'),
    }),
    opens: 'an AWS account, together with its secret',
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html',
  },
  {
    id: 'aws-secret-key',
    anchors: ['aws_secret_access_key', 'secretaccesskey', 'aws_secret_key'],
    anyCase: true,
    look: valueAfter((value) => /^[A-Za-z0-9+/]{40}$/.test(value)),
    opens: 'an AWS account',
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html',
  },
  {
    id: 'slack-token',
    anchors: ['xoxa-', 'xoxb-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
    look: token({ chars: DOTTED, min: 20, max: 512, check: letters }),
    opens: 'messages of a Slack workspace',
    source: 'https://api.slack.com/concepts/token-types',
  },
  {
    id: 'slack-webhook',
    anchors: ['hooks.slack.com/services/'],
    look: token({ chars: BASE64, min: 30, max: 128, anywhere: true }),
    opens: 'a channel of a Slack workspace',
    source: 'https://api.slack.com/messaging/webhooks',
  },
  {
    id: 'stripe-key',
    anchors: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'],
    look: token({ chars: ALNUM, min: 16, max: 255 }),
    opens: 'payments of a Stripe account',
    source: 'https://docs.stripe.com/keys',
  },
  {
    id: 'stripe-key',
    anchors: ['whsec_'],
    look: token({ chars: BASE64, min: 24, max: 128 }),
    opens: 'the signature of Stripe events',
    source: 'https://docs.stripe.com/webhooks/signature',
  },
  {
    id: 'anthropic-key',
    anchors: ['sk-ant-'],
    look: token({ chars: URL_SAFE, min: 20, max: 512 }),
    opens: 'an Anthropic account',
    source: secretScanning,
  },
  {
    id: 'openai-key',
    anchors: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-or-v1-'],
    look: token({ chars: URL_SAFE, min: 20, max: 512 }),
    opens: 'an OpenAI or OpenRouter account',
    source: gitleaks,
  },
  {
    id: 'openai-key',
    anchors: ['sk-'],
    look: token({ chars: ALNUM, min: 32, max: 128, notAfter: URL_SAFE, check: letters }),
    opens: 'an account at OpenAI or one of the many services with its form of key',
    source: gitleaks,
  },
  {
    id: 'google-key',
    anchors: ['AIza'],
    look: token({ chars: URL_SAFE, min: 35, max: 35, notAfter: BASE64 }),
    opens: 'services of Google',
    source: secretScanning,
  },
  {
    id: 'google-key',
    anchors: ['GOCSPX-'],
    look: token({ chars: URL_SAFE, min: 28, max: 28 }),
    opens: 'the identity of an application at Google',
    source: secretScanning,
  },
  {
    id: 'google-token',
    anchors: ['ya29.'],
    look: token({ chars: DOTTED, min: 30, max: 2_048 }),
    opens: 'services of Google, for an hour',
    source: gitleaks,
  },
  {
    id: 'huggingface-token',
    anchors: ['hf_'],
    look: token({ chars: ALNUM, min: 34, max: 64 }),
    opens: 'a Hugging Face account',
    source: 'https://huggingface.co/docs/hub/security-tokens',
  },
  {
    id: 'npm-token',
    anchors: ['npm_'],
    look: token({ chars: ALNUM, min: 36, max: 36 }),
    opens: 'packages of an npm account',
    source: 'https://github.blog/changelog/2021-09-23-npm-has-a-new-access-token-format/',
  },
  {
    id: 'npm-token',
    anchors: [':_authToken', ':_auth', ':_password'],
    look: valueAfter((value) => value.length >= 12),
    opens: 'a package registry',
    source: 'https://docs.npmjs.com/cli/configuring-npm/npmrc#auth-related-configuration',
  },
  {
    id: 'pypi-token',
    anchors: ['pypi-AgE'],
    look: token({ chars: URL_SAFE, min: 50, max: 1_024 }),
    opens: 'packages of a PyPI account',
    source: 'https://warehouse.pypa.io/api-reference/ and the help of PyPI on API tokens',
  },
  {
    id: 'api-token',
    anchors: ['dop_v1_', 'doo_v1_', 'dor_v1_', 'shpat_', 'shpca_', 'shppa_', 'shpss_'],
    look: token({ chars: ALNUM, min: 32, max: 64, check: hex }),
    opens: 'an account at DigitalOcean or Shopify',
    source: gitleaks,
  },
  {
    id: 'api-token',
    anchors: ['dckr_pat_', 'dckr_oat_', 'gsk_', 'xai-', 'lin_api_', 'sntrys_', 'hvs.', 'ATATT3', 'AGE-SECRET-KEY-1'],
    look: token({ chars: URL_SAFE, min: 27, max: 1_024, check: letters }),
    opens: 'an account at Docker, Groq, xAI, Linear, Sentry, Vault or Atlassian, or files sealed with age',
    source: gitleaks,
  },
  {
    id: 'sendgrid-key',
    anchors: ['SG.'],
    look: token({ chars: DOTTED, min: 66, max: 66, check: (body) => body[22] === '.' }),
    opens: 'mail in the name of a SendGrid account',
    source: gitleaks,
  },
  {
    id: 'azure-key',
    anchors: ['AccountKey', 'SharedAccessKey'],
    look: valueAfter((value) => /^[A-Za-z0-9+/]{43,86}={1,2}$/.test(value)),
    opens: 'an Azure storage account, queue or hub',
    source: 'https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string',
  },
  {
    id: 'jwt',
    anchors: ['eyJ'],
    look: jwt,
    opens: 'whatever the service that signed it gives its bearer',
    source: 'RFC 7519',
  },
  {
    id: 'url-password',
    anchors: ['://'],
    look: urlPassword,
    opens: 'what the address names',
    source: 'RFC 3986, 3.2.1',
  },
  {
    id: 'authorization',
    anchors: ['authorization'],
    anyCase: true,
    look: credentialHeader,
    opens: 'what the request was sent to',
    source: 'RFC 9110, 11.6.2',
  },
  {
    id: 'authorization',
    anchors: ['bearer '],
    anyCase: true,
    look: bearer,
    opens: 'what the request was sent to',
    source: 'RFC 6750',
  },
  {
    id: 'secret-value',
    anchors: ['SECRET', 'TOKEN', 'PASSWORD', 'PASSWD', 'PASSPHRASE', 'API_KEY', 'APIKEY', 'ACCESS_KEY', 'PRIVATE_KEY'],
    look: namedValue,
    opens: 'what the name says',
    source: 'names of environment variables, as in https://12factor.net/config',
  },
];

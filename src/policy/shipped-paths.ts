import type { PathAccess, PathRule } from '../protocol/policy.ts';

/** What lets contents be seen, and so go to the provider of the model. Names may be listed, and files be written. */
const SEEN: PathAccess[] = ['read', 'search'];

/**
 * Rules for paths that every run starts with. They ask where an honest agent may have a good reason, since a secret that
 * git ignores never enters the sandbox: what is found here was committed, included by hand or made by the agent itself.
 * They deny only what no task needs.
 */
export const SHIPPED_PATHS: readonly PathRule[] = [
  {
    id: 'secret-env-files',
    verdict: 'ask',
    reason: 'This file usually holds secrets, and what is read of it goes to the provider of the model.',
    names: ['.env', '.env.*', '.envrc'],
    except: [
      '.env*.example',
      '.env*.sample',
      '.env*.template',
      '.env*.dist',
      '.env*.schema',
      '.env.example.*',
      '*.d.ts',
    ],
    access: SEEN,
  },
  {
    id: 'secret-keys',
    verdict: 'ask',
    reason: 'This file usually holds a private key, and what is read of it goes to the provider of the model.',
    names: [
      '*.pem',
      '*.key',
      '*.p12',
      '*.pfx',
      '*.jks',
      '*.keystore',
      '*.ppk',
      '*.kdbx',
      'id_rsa',
      'id_dsa',
      'id_ecdsa',
      'id_ed25519',
      'id_ecdsa_sk',
      'id_ed25519_sk',
    ],
    // Certificates and public keys, by the names that they usually have.
    except: [
      '*cert.pem',
      '*chain.pem',
      '*bundle.pem',
      '*public*.pem',
      '*pub.pem',
      'ca.pem',
      '*-ca.pem',
      '*pub.key',
      '*public*.key',
    ],
    access: SEEN,
  },
  {
    id: 'secret-credentials',
    verdict: 'ask',
    reason: 'This file usually holds a password or token, and what is read of it goes to the provider of the model.',
    names: [
      '.netrc',
      '_netrc',
      '.npmrc',
      '.pypirc',
      '.git-credentials',
      '.pgpass',
      '.htpasswd',
      '.dockercfg',
      '.vault-token',
      'kubeconfig',
      '*.kubeconfig',
      '*.tfstate',
      '*.tfstate.backup',
      '*.tfvars',
      'credentials.json',
      'service-account*.json',
      'service_account*.json',
    ],
    folders: [
      '/**/.aws/credentials',
      '/**/.azure',
      '/**/.cargo/credentials*',
      '/**/.config/gcloud',
      '/**/.config/gh/hosts.yml',
      '/**/.docker/config.json',
      '/**/.gnupg',
      '/**/.kube/config',
      '/**/.ssh',
      '/**/.terraform.d/credentials*',
    ],
    except: ['*.pub', 'known_hosts', 'example.tfvars', '*.example.tfvars', 'sample.tfvars'],
    access: SEEN,
  },
  {
    id: 'git-own-settings',
    verdict: 'ask',
    reason: 'What is written here runs as a program at the next command of git.',
    folders: ['/**/.git/hooks', '/**/.git/config', '/**/.git/config.worktree', '/**/.git/info/attributes'],
    access: ['write'],
  },
  {
    id: 'process-internals',
    verdict: 'deny',
    reason: 'Memory, variables and open files of processes are nothing that a task needs.',
    folders: ['mem', 'environ', 'fd', 'map_files', 'auxv', 'pagemap', 'syscall'].flatMap((part) => [
      `/proc/*/${part}`,
      `/proc/*/task/*/${part}`,
    ]),
  },
  {
    id: 'system-files',
    verdict: 'deny',
    reason: 'These belong to the system of the sandbox; nothing can be changed here.',
    folders: ['/proc', '/sys'],
    access: ['write'],
  },
  {
    id: 'sandbox-own-files',
    verdict: 'deny',
    reason: 'These are the sandbox\u2019s own programs and its record of full outputs, which are read and not written.',
    folders: ['/opt/pi-sandbox', '/spill'],
    access: ['write'],
  },
];

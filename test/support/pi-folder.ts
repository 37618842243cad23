import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempFolder } from './cli.ts';

export interface PiFolder {
  readonly folder: string;
  readonly auth: string;
  readonly lock: string;
  /** The bytes of auth.json. */
  bytes(): Buffer;
  mode(): number;
  entries(): Record<string, Record<string, unknown>>;
}

/** A folder as pi keeps it, with these entries in auth.json and this text in models.json. */
export function piFolder(auth?: object | string, models?: object | string): PiFolder {
  const folder = tempFolder();
  const file = path.join(folder, 'auth.json');
  const text = (value: object | string) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  if (auth !== undefined) writeFileSync(file, text(auth), { mode: 0o600 });
  if (models !== undefined) writeFileSync(path.join(folder, 'models.json'), text(models));
  return {
    folder,
    auth: file,
    lock: `${file}.lock`,
    bytes: () => readFileSync(file),
    mode: () => statSync(file).mode & 0o777,
    entries: () => JSON.parse(readFileSync(file, 'utf8')),
  };
}

/** A server that renews logins, in the place of the one whose address pi-ai has built in. */
export interface TokenServer {
  readonly fetch: typeof fetch;
  readonly requests: { readonly url: string; readonly headers: Record<string, string>; readonly body: string }[];
}

export function tokenServer(answer: (body: string, url: string) => Response | Promise<Response>): TokenServer {
  const requests: TokenServer['requests'] = [];
  return {
    requests,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const body = await request.text();
      requests.push({ url: request.url, headers: Object.fromEntries(request.headers), body });
      return await answer(body, request.url);
    },
  };
}

/** What Anthropic's and OpenAI's servers answer. */
export function renewed(access: string, refresh: string): Response {
  return Response.json({ access_token: access, refresh_token: refresh, expires_in: 3600 });
}

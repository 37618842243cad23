/** Why the gateway does not answer a request. Stable: they stand in the ledger and in records. */
export type RefusalCode =
  | 'path' // neither `/messages` nor `/gate`, compared before any decoding
  | 'method'
  | 'absolute_form' // an absolute URL, `*` or anything else that is no path
  | 'connect'
  | 'upgrade'
  | 'protocol' // not HTTP/1.1
  | 'header_size'
  | 'content_type'
  | 'content_encoding'
  | 'transfer_encoding'
  | 'body_size'
  | 'body_timeout'
  | 'header_timeout'
  | 'json'
  | 'depth'
  | 'values' // more than are worth parsing
  | 'schema'
  | 'model'
  | 'tools'
  | 'secret' // a secret of the user, which the policy does not let through
  | 'limit'
  | 'question_size' // of a question to the gate
  | 'busy' // too many questions to the gate at once
  | 'bypass' // a tool call ran past the gate
  | 'failed' // the run has failed before
  | 'internal'
  | 'revoked';

/** Thrown while a request is checked. The message is ours and may be shown inside the container. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly status: number;
  readonly code: RefusalCode;

  constructor(status: number, code: RefusalCode, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Body of a refusal in the form that pi reads. */
export function refusalBody(refusal: RefusedRequest): string {
  return JSON.stringify({ error: { message: refusal.message, code: refusal.code } });
}

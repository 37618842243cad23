import { randomBytes } from 'node:crypto';

/** Bytes around a find that a message shows. */
const CONTEXT = 24;

/** Secrets that share a random mark, so that one search finds any of them, in each form in which it may travel. */
export class Canaries {
  readonly #mark = `cnry${randomBytes(12).toString('hex')}`;
  readonly #longest: number;
  /** The forms as text, for searches by other programs. */
  readonly forms: readonly string[];

  constructor() {
    const percent = [...Buffer.from(this.#mark)].map((byte) => `%${byte.toString(16)}`).join('');
    // Base64 depends on the position in its group of three bytes; the ends, which depend on the neighbours, are cut off.
    const base64 = [0, 1, 2].map((shift) => {
      const encoded = Buffer.from('\0'.repeat(shift) + this.#mark).toString('base64');
      return encoded.slice(shift === 0 ? 0 : 4, Math.floor((shift + this.#mark.length) / 3) * 4);
    });
    const hex = Buffer.from(this.#mark).toString('hex');
    this.forms = [this.#mark, ...base64, percent, percent.toUpperCase(), hex];
    this.#longest = Math.max(...this.forms.map(({ length }) => length));
  }

  /** A secret that says where it was planted. */
  secret(where: string): string {
    return `${this.#mark}-${where}`;
  }

  /** Surroundings of what was found in this text, nothing when it is clean. */
  find(text: string | Buffer): string[] {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    return this.forms.flatMap((form) => {
      const at = bytes.indexOf(form);
      if (at < 0) return [];
      return [bytes.subarray(Math.max(0, at - CONTEXT), at + form.length + CONTEXT).toString('latin1')];
    });
  }

  /** The same in a stream, without keeping it; `also` are texts that are counted when they occur. */
  async findIn(
    stream: AsyncIterable<Buffer>,
    also: readonly string[] = [],
  ): Promise<{ found: string[]; also: string[] }> {
    const found: string[] = [];
    const seen = new Set<string>();
    const overlap = Math.max(this.#longest, ...also.map(({ length }) => length));
    let tail = Buffer.alloc(0);
    for await (const chunk of stream) {
      const piece = Buffer.concat([tail, chunk]);
      found.push(...this.find(piece));
      for (const text of also) if (piece.includes(text)) seen.add(text);
      tail = Buffer.from(piece.subarray(Math.max(0, piece.length - overlap)));
    }
    return { found, also: [...seen] };
  }
}

import { Duplex, type Readable, type Writable } from 'node:stream';

/**
 * The two halves of a pipe as one stream for an HTTP/2 session.
 *
 * It never ends by itself: when one half dies while the session writes, a duplex that closes makes Node throw an
 * assertion that no error handler sees. Whoever owns the halves watches them and destroys the session first.
 */
export function wireDuplex(input: Readable, output: Writable, first: Buffer): Duplex {
  const wire = new Duplex({
    read() {
      input.resume();
    },
    write(chunk: Buffer, _encoding, done) {
      if (output.destroyed || !output.writable) done();
      else output.write(chunk, () => done());
    },
    final(done) {
      done();
    },
    destroy(_error, done) {
      done(null);
    },
  });
  if (first.length > 0) wire.push(first);
  input.on('data', (chunk: Buffer) => {
    if (!wire.destroyed && !wire.push(chunk)) input.pause();
  });
  return wire;
}

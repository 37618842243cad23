import { Duplex, type Readable, type Writable } from 'node:stream';

/**
 * One duplex over the two halves of the attach stream, for Node's HTTP/2. It never ends by itself: when the guest
 * dies while we write, a duplex that ends makes Node throw an internal assertion that no handler sees and that takes
 * the controller down. Whoever notices the end destroys the HTTP/2 session first.
 */
export function wireDuplex(fromGuest: Readable, toGuest: Writable): Duplex {
  const duplex = new Duplex({
    read() {
      fromGuest.resume();
    },
    write(chunk: Buffer, _encoding, done) {
      if (gone(toGuest)) done();
      else toGuest.write(chunk, () => done());
    },
    final(done) {
      done();
    },
    destroy(_error, done) {
      done(null);
    },
  });
  fromGuest.on('data', (chunk: Buffer) => {
    if (!duplex.destroyed && !duplex.push(chunk)) fromGuest.pause();
  });
  return duplex;
}

function gone(stream: Writable): boolean {
  return stream.destroyed || stream.writableEnded || !stream.writable;
}

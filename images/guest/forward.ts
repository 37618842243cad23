import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import type { Socket } from 'node:net';

/**
 * Joins one accepted connection to one CONNECT stream for `authority` until both are closed; `closed` is called once, then.
 * Each direction ends by itself, and a direction that broke resets the other side, so that a cut answer never looks
 * like a finished one. The socket must have been accepted with `allowHalfOpen`.
 */
export function forward(session: ClientHttp2Session, authority: string, socket: Socket, closed: () => void): void {
  let stream: ClientHttp2Stream;
  try {
    stream = session.request({ ':method': 'CONNECT', ':authority': authority });
  } catch {
    socket.destroy();
    closed();
    return;
  }
  let open = 2;
  const oneClosed = (): void => {
    open -= 1;
    if (open === 0) closed();
  };
  stream.on('response', (headers) => {
    if (headers[':status'] !== 200) stream.close(constants.NGHTTP2_CANCEL);
  });
  stream.on('error', () => socket.resetAndDestroy());
  // The host wants no more from here. It may have ended well: what it sent before is still delivered.
  stream.on('aborted', () => socket.unpipe(stream).resume());
  stream.on('close', () => {
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) socket.resetAndDestroy();
    oneClosed();
  });
  // A stream that was reset reports an end too, before its error.
  stream.on('end', () => {
    if (stream.rstCode === constants.NGHTTP2_NO_ERROR) socket.end();
    else socket.resetAndDestroy();
  });
  socket.on('error', () => stream.close(constants.NGHTTP2_CANCEL));
  socket.on('close', () => {
    if (!stream.closed && !(stream.readableEnded && stream.writableEnded)) stream.close(constants.NGHTTP2_CANCEL);
    oneClosed();
  });
  socket.pipe(stream);
  stream.pipe(socket, { end: false });
}

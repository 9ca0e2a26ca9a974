import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { uuidv7 } from 'uuidv7';
import { recordClientError } from './errors.js';
import { aimed } from './paths.js';
import {
  type ClientError,
  headTooLarge,
  malformedRequest,
  problemText,
  unknownCoding,
} from './problems.js';
import { type HttpEnvironment, REQUEST_ID } from './requests.js';

const HEAD_LIMIT = 16_384;

const REQUEST_LINE = /^([\w!#$%&'*+.^`|~-]+) (\S+) HTTP\/1\.[01]\r\n/;

const TOKEN_END = /[\w!#$%&'*+.^`|~-]*$/;

type App = Hono<HttpEnvironment>;

/** What the parser says of bytes that are no request. */
interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** The server of the application. What is no request at all is refused as problem+json, too. */
export function createServiceServer(app: App): Server {
  const listener = getRequestListener(app.fetch);
  const latest = new WeakMap<Duplex, ServerResponse<IncomingMessage>>();
  const options = { maxHeaderSize: HEAD_LIMIT, requireHostHeader: false };
  const server = createServer(options, (incoming, outgoing) => {
    latest.set(incoming.socket, outgoing);
    const fault = faultOf(incoming);
    if (fault === undefined) return listener(aimed(incoming), outgoing);
    return refuse(incoming.socket, fault);
  });
  // An expectation that nobody knows is no reason to refuse.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  server.on('connect', ({ url = '' }, socket) => refuseMethod(app, socket, 'CONNECT', url));
  server.on('clientError', async (error: ParseError, socket) => {
    const answer = latest.get(socket);
    if (answer?.req.complete && !answer.writableFinished) await once(answer, 'close');
    const isAnswering = answer?.headersSent === true && !answer.writableFinished;
    if (isAnswering || !socket.writable) socket.destroy();
    else await refuseBytes(app, socket, error);
  });
  return server;
}

/** What the parser lets pass: no host or several, and a coding of the body that nobody undoes. */
function faultOf(incoming: IncomingMessage): ClientError | undefined {
  const { headers, headersDistinct, httpVersion } = incoming;
  const hosts = headersDistinct.host?.length ?? 0;
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) return malformedRequest();
  const coding = headers['transfer-encoding']?.toLowerCase() ?? 'chunked';
  return coding === 'chunked' ? undefined : unknownCoding();
}

async function refuseBytes(app: App, socket: Duplex, error: ParseError): Promise<void> {
  const { code, rawPacket, bytesParsed = 0 } = error;
  const packet = rawPacket?.toString('latin1') ?? '';
  const start = packet.slice(0, bytesParsed).search(TOKEN_END);
  const [, method, target] = REQUEST_LINE.exec(packet.slice(start)) ?? [];
  if (code === 'HPE_INVALID_METHOD' && method !== undefined && target !== undefined) {
    await refuseMethod(app, socket, method, target);
  } else if (code === 'HPE_HEADER_OVERFLOW') refuse(socket, headTooLarge(HEAD_LIMIT));
  else if (code === 'HPE_INVALID_TRANSFER_ENCODING') refuse(socket, unknownCoding());
  else refuse(socket, malformedRequest());
}

/** Has the application refuse a method that the parser does not know. */
async function refuseMethod(app: App, socket: Duplex, method: string, url: string): Promise<void> {
  const request = { method, url: 'http://service/', headers: new Headers() } as Request;
  const answer = await app.fetch(request, { incoming: { url } } as HttpBindings);
  write(socket, answer.status, answer.headers, await answer.text());
}

function refuse(socket: Duplex, { problem }: ClientError): void {
  recordClientError(problem);
  const headers = { 'content-type': 'application/problem+json', [REQUEST_ID]: uuidv7() };
  write(socket, problem.status, new Headers(headers), problemText(problem, ''));
}

/** Answers, and closes the connection: nothing that follows on it can be understood. */
function write(socket: Duplex, status: number, headers: Headers, body: string): void {
  headers.set('content-length', String(Buffer.byteLength(body)));
  headers.set('date', new Date().toUTCString());
  headers.set('connection', 'close');
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', ''].join('\r\n');
  socket.end(head + body, () => socket.destroy());
}

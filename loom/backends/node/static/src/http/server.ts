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
import { LIMITS } from '../service.js';
import { recordClientError } from './errors.js';
import { aimed, pathOf } from './paths.js';
import {
  type ClientError,
  headTooLarge,
  INTERNAL_ERROR,
  malformedRequest,
  type Problem,
  problemText,
  requestTimeout,
  unknownCoding,
} from './problems.js';
import { type HttpEnvironment, REQUEST_ID } from './requests.js';

const REQUEST_LINE = /^([\w!#$%&'*+.^`|~-]+) ([!-~]+) HTTP\/1\.[01]\r\n/;

const VERSIONS = ['1.0', '1.1'];

const TOKEN_END = /[\w!#$%&'*+.^`|~-]*$/;

type App = Hono<HttpEnvironment>;

type Answer = ServerResponse<IncomingMessage>;

/** What the parser says of bytes that are no request. */
interface ParseError extends Error {
  readonly code?: string;
  readonly reason?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

export interface ServiceServer extends Server {
  /** Answers all that is still due with an error, and closes the connections. */
  abandon(): void;
}

/** The server of the application. What is no request at all is refused as problem+json, too. */
export function createServiceServer(app: App, requestSeconds: number): ServiceServer {
  const listener = getRequestListener(app.fetch);
  const begun = new WeakMap<Duplex, Answer[]>();
  const open = new Set<Answer>();
  const options = {
    maxHeaderSize: LIMITS.headBytes,
    requireHostHeader: false,
    headersTimeout: requestSeconds * 1_000,
    // The head, the body that a route reads, and what nobody reads.
    requestTimeout: requestSeconds * 2_000,
    connectionsCheckingInterval: 500,
  };
  const server = createServer(options, (incoming, outgoing) => {
    const earlier = begun.get(incoming.socket)?.filter(isDue) ?? [];
    begun.set(incoming.socket, [...earlier, outgoing]);
    open.add(outgoing.once('close', () => open.delete(outgoing)));
    if (incoming.httpVersion === '1.0') outgoing.shouldKeepAlive = false;
    const fault = faultOf(incoming);
    if (fault === undefined) return listener(aimed(incoming), outgoing);
    return sent(earlier).then(() => refuse(incoming.socket, fault));
  });
  // An expectation that nobody knows is no reason to refuse.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  server.on('connect', ({ url = '' }, socket) => refuseMethod(app, socket, 'CONNECT', url));
  server.on('clientError', async (error: ParseError, socket) => {
    const answers = begun.get(socket)?.filter(isDue) ?? [];
    await sent(answers);
    const isAnswered = answers.some((answer) => !answer.req.complete && answer.headersSent);
    if (isAnswered || !socket.writable) socket.destroy();
    else await refuseBytes(app, socket, error, requestSeconds);
  });
  // A client that has said all still listens to its answers.
  return Object.assign(server, {
    httpAllowHalfOpen: true,
    abandon: () => {
      for (const answer of open) abandonAnswer(answer);
    },
  });
}

function abandonAnswer({ req, headersSent, socket }: Answer): void {
  if (headersSent || socket === null) req.socket.destroy();
  else writeProblem(socket, INTERNAL_ERROR, pathOf(req));
}

/** Whether there is still something to send, or to receive. */
function isDue(answer: Answer): boolean {
  return !answer.writableFinished || !answer.req.complete;
}

/** Waits for the answers to requests that have arrived. */
function sent(answers: readonly Answer[]): Promise<unknown> {
  const due = answers.filter(({ req, writableFinished }) => req.complete && !writableFinished);
  return Promise.all(due.map((answer) => once(answer, 'close')));
}

/** What the parser lets pass: other versions, no host or several, and a coding of the body that nobody undoes. */
function faultOf(incoming: IncomingMessage): ClientError | undefined {
  const { headers, headersDistinct, httpVersion } = incoming;
  if (!VERSIONS.includes(httpVersion)) return malformedRequest();
  const hosts = headersDistinct.host?.length ?? 0;
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) return malformedRequest();
  const coding = headers['transfer-encoding']?.toLowerCase() ?? 'chunked';
  return coding === 'chunked' ? undefined : unknownCoding();
}

async function refuseBytes(app: App, socket: Duplex, error: ParseError, seconds: number) {
  const { code, rawPacket, bytesParsed = 0 } = error;
  const packet = rawPacket?.toString('latin1') ?? '';
  const start = packet.slice(0, bytesParsed).search(TOKEN_END);
  const [, method, target] = REQUEST_LINE.exec(packet.slice(start)) ?? [];
  if (code === 'HPE_INVALID_METHOD' && method !== undefined && target !== undefined) {
    await refuseMethod(app, socket, method, target);
  } else refuse(socket, refusalOf(error, seconds));
}

function refusalOf({ code, reason = '' }: ParseError, seconds: number): ClientError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout(seconds);
  if (code === 'HPE_HEADER_OVERFLOW') return headTooLarge(LIMITS.headBytes);
  const isCoding = code === 'HPE_INVALID_TRANSFER_ENCODING' && !reason.includes('Content-Length');
  return isCoding ? unknownCoding() : malformedRequest();
}

/** Has the application refuse a method that the parser does not know. */
async function refuseMethod(app: App, socket: Duplex, method: string, url: string): Promise<void> {
  const request = { method, url: 'http://service/', headers: new Headers() } as Request;
  const answer = await app.fetch(request, { incoming: { url } } as HttpBindings);
  write(socket, answer.status, answer.headers, await answer.text());
}

function refuse(socket: Duplex, { problem }: ClientError): void {
  recordClientError(problem);
  writeProblem(socket, problem, '');
}

function writeProblem(socket: Duplex, problem: Problem, instance: string): void {
  const headers = { 'content-type': 'application/problem+json', [REQUEST_ID]: uuidv7() };
  write(socket, problem.status, new Headers(headers), problemText(problem, instance));
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

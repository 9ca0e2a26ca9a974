import { AsyncLocalStorage } from 'node:async_hooks';

/** What one request shares with everything it calls. */
export interface Frame {
  readonly requestId: string;
  readonly startedAt: Date;
}

const frames = new AsyncLocalStorage<Frame>();

export function runInFrame<Result>(frame: Frame, body: () => Result): Result {
  return frames.run(frame, body);
}

export function currentRequestId(): string | undefined {
  return frames.getStore()?.requestId;
}

/** The instant of the current request: the same wherever it is asked for. */
export function now(): Date {
  return frames.getStore()?.startedAt ?? new Date();
}

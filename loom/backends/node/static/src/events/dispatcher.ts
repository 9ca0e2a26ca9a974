import { log } from '../observability/log.js';

/** Something that happened in the domain, under an id of its own. */
export interface DomainEvent {
  readonly id: string;
  readonly type: string;
  readonly data: object;
}

export interface EventDispatcher {
  dispatch(events: readonly DomainEvent[]): Promise<void>;
}

/** Hands events to the subscribers in this process, in the order in which they were raised. */
export function createInProcessDispatcher(): EventDispatcher {
  return {
    async dispatch(events) {
      for (const event of events) {
        log.info({ event: 'event_dispatched', event_type: event.type, event_id: event.id });
      }
    },
  };
}

/** Holds events back until `release`, so that nobody hears of a change that was rolled back. */
export function deferredDispatcher(target: EventDispatcher) {
  const held: DomainEvent[] = [];
  return {
    async dispatch(events: readonly DomainEvent[]): Promise<void> {
      held.push(...events);
    },
    release: (): Promise<void> => target.dispatch(held),
  };
}

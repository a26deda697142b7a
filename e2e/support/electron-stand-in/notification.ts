import { EventEmitter } from 'node:events';

interface NotificationOptions {
  title?: string;
  body?: string;
}

/** Nobody sees it: tests look at what is shown, and click it. */
export class Notification extends EventEmitter {
  /** Those that were shown and not closed. */
  static readonly shown: Notification[] = [];
  readonly title: string;
  readonly body: string;

  static isSupported(): boolean {
    return true;
  }

  constructor({ title = '', body = '' }: NotificationOptions = {}) {
    super();
    this.title = title;
    this.body = body;
  }

  show(): void {
    Notification.shown.push(this);
    this.emit('show', {});
  }

  close(): void {
    const at = Notification.shown.indexOf(this);
    if (at < 0) return;
    Notification.shown.splice(at, 1);
    this.emit('close', {});
  }
}

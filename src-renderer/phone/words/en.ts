/** The English words of the phone: short sentences and everyday words. */
import { about } from './parts/about.en.ts';
import { contact } from './parts/contact.en.ts';
import { recording } from './parts/recording.en.ts';
import { start } from './parts/start.en.ts';
import { tasks } from './parts/tasks.en.ts';

export const en = { ...start, ...tasks, ...contact, ...about, ...recording } as const;

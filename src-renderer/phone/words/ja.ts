/** The Japanese words of the phone: です・ます, without terms of the trade. */
import type { Translated } from '../../shared/locales/translated.ts';
import type { en } from './en.ts';
import { about } from './parts/about.ja.ts';
import { contact } from './parts/contact.ja.ts';
import { recording } from './parts/recording.ja.ts';
import { start } from './parts/start.ja.ts';
import { tasks } from './parts/tasks.ja.ts';

export const ja: Translated<typeof en> = { ...start, ...tasks, ...contact, ...about, ...recording };

/** The screens of a task, which are loaded together. */
export { DoneScreen } from './done.tsx';
export { DraftScreen } from './draft.tsx';
export { TaskScreen } from './task.tsx';

/** The screens on the model in memory, for tests and pictures: `?state=offline`. It is built apart and never shipped. */
import { createRoot } from 'react-dom/client';
import '../phone.css';
import { App } from '../app.tsx';
import { startWords } from '../words/words.ts';
import { createMemoryModel, type MemoryModel } from './memory-model.ts';
import { seedOf } from './seed.ts';
import { STATES, type StateName } from './states.ts';

declare global {
  interface Window {
    phoneModel?: MemoryModel;
  }
}

const state = (new URLSearchParams(location.search).get('state') ?? 'due') as StateName;
await startWords();
const seed = seedOf(document.documentElement.lang === 'ja' ? 'ja' : 'en');
const model = createMemoryModel({ ...seed, ...STATES[state](seed) });
window.phoneModel = model;
createRoot(document.getElementById('root')!).render(<App model={model} />);

/** The screens on the model in memory, for tests and pictures: `?state=offline`. It is built apart and never shipped. */
import { createRoot } from 'react-dom/client';
import '../phone.css';
import { App } from '../app.tsx';
import { HostContext } from '../sensors/host-context.ts';
import { startWords } from '../words/words.ts';
import { fakeHost, type RecorderName } from './fake-host.ts';
import { createMemoryModel, type MemoryModel } from './memory-model.ts';
import { seedOf } from './seed.ts';
import { STATES, type StateName } from './states.ts';

declare global {
  interface Window {
    phoneModel?: MemoryModel;
    /** Starts again in another state and at another address: faster than to load the page for each of them. */
    showPhone?: (state: StateName, path: string, recorder?: RecorderName) => void;
  }
}

await startWords();
const seed = seedOf(document.documentElement.lang === 'ja' ? 'ja' : 'en');
const root = createRoot(document.getElementById('root')!);
let shown = 0;
window.showPhone = (state, path, recorder = 'none') => {
  history.replaceState(null, '', `#${path}`);
  window.phoneModel = createMemoryModel({ ...seed, ...STATES[state](seed) });
  shown += 1;
  root.render(
    <HostContext key={shown} value={fakeHost(recorder)}>
      <App model={window.phoneModel} />
    </HostContext>,
  );
};
const state = new URLSearchParams(location.search).get('state') ?? 'due';
window.showPhone(state as StateName, location.hash.slice(1) || '/');

/** Entry point of the app of subjects' phones. */
import { createRoot } from 'react-dom/client';
import './phone.css';
import { App, loadScreens } from './app.tsx';
import { loadActions } from './core/actions.ts';
import { StoredPhoneModel } from './core/phone-model.ts';
import { InstallOffer } from './core/platform.ts';
import { restoreLink } from './kit/kept-link.ts';
import { siteCalls } from './sync/site-calls.ts';
import { startWords } from './words/words.ts';
import { startWorker } from './worker/registration.ts';

restoreLink();
let model: StoredPhoneModel | undefined;
const changed = () => model?.changed();
model = new StoredPhoneModel({
  calls: siteCalls(),
  worker: startWorker(changed),
  installOffer: new InstallOffer(changed),
  version: import.meta.env.OUTPOST_VERSION,
  onGone: () => location.reload(),
});

await startWords();
createRoot(document.getElementById('root')!).render(<App model={model} />);
await model.start();
// A file that does not arrive now is asked for again when its screen is opened.
await Promise.all([loadScreens(), loadActions()]).catch(() => undefined);

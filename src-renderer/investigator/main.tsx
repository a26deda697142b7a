/** Entry of the desk: the investigator's interface, in a browser and in the desktop window alike. */
import { createRoot } from 'react-dom/client';
import '../shared/base.css';
import { startLanguages } from '../shared/i18n/i18n.ts';
import { followTheme, preferences } from '../shared/preferences.ts';
import { App } from './app.tsx';

followTheme();
await startLanguages(preferences.get().language);
createRoot(document.getElementById('root')!).render(<App />);

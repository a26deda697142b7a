/** Entry point of the desk, the investigators' interface, in a browser and in the desktop window. */
import { createRoot } from 'react-dom/client';
import '../shared/base.css';
import { restoreSession } from '../shared/api/session.ts';
import { startLanguages } from '../shared/i18n/i18n.ts';
import { followTheme, preferences } from '../shared/preferences.ts';
import { App } from './app.tsx';
import { startTypeface } from './typeface.ts';

followTheme();
await Promise.all([startLanguages(preferences.get().language), restoreSession(), startTypeface()]);
createRoot(document.getElementById('root')!).render(<App />);

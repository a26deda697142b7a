/** Entry point of the app of subjects' phones. */
import { createRoot } from 'react-dom/client';
import './phone.css';
import { App } from './app.tsx';
import { startWords } from './words/words.ts';

await startWords();
createRoot(document.getElementById('root')!).render(<App />);

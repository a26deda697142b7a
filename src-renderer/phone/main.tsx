/** Entry point of the app of subjects' phones. */
import { createRoot } from 'react-dom/client';
import '../shared/base.css';
import { App } from './app.tsx';

createRoot(document.getElementById('root')!).render(<App />);

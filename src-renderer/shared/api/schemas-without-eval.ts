/**
 * The site's content security policy forbids code made from strings, which zod would try when a schema is made. Import this
 * before anything that holds a schema.
 */
import { z } from 'zod';

z.config({ jitless: true });

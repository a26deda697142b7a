/** Worker of the API benchmarks: fetches URLs in sequence and posts the duration and size of each response. */
import { parentPort, workerData } from 'node:worker_threads';

const { urls, authorization } = workerData as { urls: string[]; authorization: string };
const headers = { authorization };
const results: { ms: number; bytes: number }[] = [];
for (const url of urls) {
  const started = performance.now();
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  let bytes = 0;
  for await (const chunk of response.body!) bytes += chunk.length;
  results.push({ ms: performance.now() - started, bytes });
}
parentPort!.postMessage(results);

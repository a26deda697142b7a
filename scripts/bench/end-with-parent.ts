/**
 * For the server programs of benchmarks, which are started with a pipe as their input: the system closes it when the benchmark ends,
 * also when that is killed and can stop nothing any more.
 */
process.stdin.resume().once('close', () => process.exit());

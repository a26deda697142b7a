#!/usr/bin/env node
/** The `outpost` command: parses arguments, hands over to one file per command, turns failures into words and exit codes. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { OutpostError } from '../errors.ts';
import { FAULTS_HELP } from '../simulator/device/faults.ts';
import { VERSION } from '../version.ts';
import { EXIT_CODES_HELP, reportFailure } from './output.ts';

/** Where the desk is found when nobody asks for another port: bookmarks and scripts keep working. */
const DEFAULT_PORT = 8480;

type Action<Options> = (options: Options) => Promise<number | undefined>;

/** Runs a command's own file, loaded only now, and sets the exit code. */
function act<Options extends object>(load: () => Promise<Action<Options>>) {
  return async (options: Options): Promise<void> => {
    try {
      const run = await load();
      process.exitCode = (await run(options)) ?? 0;
    } catch (thrown) {
      process.exitCode = reportFailure(thrown, 'json' in options && options.json === true);
    }
  };
}

function wholeNumber(minimum: number, maximum: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < minimum || value > maximum) {
      throw new InvalidArgumentError(`Give a whole number from ${minimum} to ${maximum}.`);
    }
    return value;
  };
}

const collect = (value: string, previous: string[]): string[] => [...previous, value];
const dataOption = () => new Option('--data <dir>', 'the site folder').makeOptionMandatory();
const jsonOption = () => new Option('--json', 'answer with one JSON line').default(false);
const portOption = (fallback: number) =>
  new Option('--port <number>', 'port of the desk and the API on this computer; 0 takes a free one')
    .argParser(wholeNumber(0, 65_535))
    .default(fallback);

const program = new Command('outpost')
  .description(
    'Outpost keeps the data of remote-monitoring studies on this computer: it takes recordings, computes metrics\n' +
      'and serves the /api/v1 interface. It needs no internet. Answers go to stdout, messages to stderr.',
  )
  .version(VERSION)
  .showHelpAfterError('(add --help for the options)')
  .addHelpText('after', `\n${EXIT_CODES_HELP}`)
  .exitOverride();

program
  .command('init')
  .description('make an empty site with its first administrator; prints its ids as JSON')
  .addOption(dataOption())
  .requiredOption('--account <name>', 'name of the organisation')
  .requiredOption('--email <address>', 'e-mail of the first administrator')
  .requiredOption('--password <password>', 'password of the first administrator, 8 to 64 characters')
  .option(
    '--time-zone <zone>',
    "the administrator's time zone, such as US/Eastern",
    Intl.DateTimeFormat().resolvedOptions().timeZone,
  )
  .action(act(async () => (await import('./init.ts')).init));

program
  .command('serve')
  .description('run a site without a window; when ready, prints one JSON line {url, lanUrls, fingerprint}')
  .addOption(dataOption())
  .addOption(portOption(DEFAULT_PORT))
  .addOption(
    new Option(
      '--lan-port <number>',
      'port for devices on the local network; 0 takes a free one (default: that of the settings, 8481 at first)',
    ).argParser(wholeNumber(0, 65_535)),
  )
  .option('--no-lan', 'do not listen on the local network')
  .option('--no-desk', 'do not build the desk of a fresh checkout; only the API is served then')
  .option('--set-up', 'when the folder is empty or not there, offer a page of this computer that makes the site')
  .addHelpText('after', '\nEnds cleanly on SIGTERM and SIGINT: running jobs go back to the queue.')
  .action(act(async () => (await import('./serve.ts')).serve));

program
  .command('demo')
  .description('make a demo site with simulated recordings, analyse them, print a summary and serve it')
  .addOption(new Option('--data <dir>', 'where to make it; an empty or new folder (default: a temporary one)'))
  .addOption(portOption(0))
  .option('--subjects <number>', 'how many subjects', wholeNumber(1, 20), 3)
  .option('--days <number>', 'days of recordings per subject', wholeNumber(1, 14), 2)
  .option('--seed <number>', 'the same seed gives the same signals', wholeNumber(0, 2 ** 31 - 1), 1)
  .option('--once', 'end after the summary instead of serving', false)
  .addOption(jsonOption())
  .action(act(async () => (await import('./demo.ts')).demo));

program
  .command('import')
  .description('bring real files into a site: MC10 ZIP or CSV folder, EDF, EDF+, BDF, WFDB, Outpost .sig')
  .argument('[file...]', 'files or folders; LOCATION=FILE names where that sensor was worn')
  .addOption(dataOption())
  .requiredOption('--study <id or name>', 'the study')
  .requiredOption('--subject <id or name>', 'the subject')
  .option(
    '--sensor <LOCATION=FILE>',
    'a file and where its sensor was worn, such as MEDIAL_CHEST=day1.edf',
    collect,
    [],
  )
  .addOption(new Option('--side <side>', 'side of the body').choices(['LEFT', 'RIGHT', 'NONE']))
  .option('--time-zone <zone>', "zone of the wall-clock times in the files (default: the subject's)")
  .option('--start <time>', 'start of files that hold no date, ISO 8601 with offset')
  .addOption(jsonOption())
  .action((files: string[], options: { json?: boolean }) =>
    act(async () => (await import('./import.ts')).importFiles)({ ...options, files } as never),
  );

program
  .command('analyze')
  .description('the analytics without a site: files in, beats, steps, channels, daily metrics and sleep out')
  .option('--sensor <LOCATION=FILE>', 'a recording and where its sensor was worn; repeat for each sensor', collect, [])
  .option(
    '--batch <file>',
    'a JSON list of {name, timeZone, interval, sensors: [{location, file}]}; one JSON line each',
  )
  .option('--time-zone <zone>', "the wearer's zone, which decides what a day is", 'UTC')
  .addOption(
    new Option('--interval <ms>', 'bin of the channels')
      .choices(['1000', '5000', '10000', '15000', '30000', '60000'])
      .default('60000'),
  )
  .addOption(jsonOption())
  .addHelpText(
    'after',
    '\nLocations: MEDIAL_CHEST, ECG_LEAD_II, ANTERIOR_THIGH, SACRUM (lower back and waist) and the others of the interface.\n' +
      'Example: outpost analyze --sensor MEDIAL_CHEST=chest.edf --sensor ANTERIOR_THIGH=thigh.edf --time-zone Asia/Tokyo',
  )
  .action(act(async () => (await import('./analyze.ts')).analyze));

const simulate = program.command('simulate').description('a device on the network, for demos and tests');

function simulatedDevice(name: string, serial: string): Command {
  return simulate
    .command(name)
    .option('--state <dir>', 'folder of what the device remembers (default: one in the current folder, by its serial)')
    .option('--serial <number>', 'serial number of the device', serial)
    .option('--site <url>', 'address of the site that the desk shows, such as https://192.168.1.20:8481')
    .option('--code <code>', 'the pairing code that the desk shows')
    .option('--link <text>', 'instead of both: the text of the QR code, of a pairing or of a sign-in')
    .option('--fault <fault>', 'what goes wrong; see below', collect, [])
    .addHelpText('after', `\n${FAULTS_HELP}`);
}

simulatedDevice('hub', 'SIM-HUB-1')
  .description('a charging station: is paired, records, and brings the recordings to the site')
  .option('--hours <number>', 'hours of recordings of the sensors that are handed out; 0 makes none', Number, 1)
  .option('--seed <number>', 'the same seed gives the same signals', wholeNumber(0, 2 ** 31 - 1), 1)
  .option('--file <path>', 'a .sig file to bring instead; repeat it for several', collect, [])
  .option('--sensor <serial>', 'serial number of the sensor that the files are of')
  .option('--battery <percent>', 'its battery', wholeNumber(0, 100), 100)
  .option('--every <seconds>', 'pause between two contacts', wholeNumber(1, 86_400), 60)
  .option('--once', 'end when everything is sent', false)
  .addOption(jsonOption())
  .action(act(async () => (await import('./simulate/hub.ts')).simulateHub));

simulatedDevice('phone', 'SIM-PHONE-1')
  .description("a subject's phone: signs in or is paired, does the tasks of the day, sends and reads messages")
  .option('--token <token>', 'sign in with the token of a subject, at --site')
  .option('--fingerprint <hex>', 'the key that the site must show (default: the one that is met first)')
  .option('--message <text>', 'a message to the team; repeat it for several', collect, [])
  .option('--no-tasks', 'do no tasks')
  .option('--seed <number>', 'the same seed gives the same answers', wholeNumber(0, 2 ** 31 - 1), 1)
  .option('--battery <percent>', 'its battery', wholeNumber(0, 100), 100)
  .option('--every <seconds>', 'pause between two contacts', wholeNumber(1, 86_400), 60)
  .option('--once', 'end when everything is sent', false)
  .addOption(jsonOption())
  .action(act(async () => (await import('./simulate/phone.ts')).simulatePhone));

program
  .command('backup')
  .description(
    'back up a site, closed or running, and read the backup back; exit code 7 when the site has damaged files',
  )
  .addOption(dataOption())
  .requiredOption('--to <dir or file.zip>', 'a folder of backups, which share what is the same, or one new .zip file')
  .addOption(jsonOption())
  .action(act(async () => (await import('./backup.ts')).backup));

program
  .command('restore')
  .description('make a site from a backup, in an empty or new folder')
  .requiredOption('--from <path>', 'a backup, a folder of backups (the newest counts), or a .zip file')
  .addOption(dataOption())
  .option('--key <file>', 'site.key of the site that was backed up, which de-identified exports need')
  .option('--strict', 'restore nothing when anything in the backup is damaged', false)
  // Scripts may still give what is the default now.
  .addOption(new Option('--skip-damaged').hideHelp())
  .addOption(jsonOption())
  .addHelpText(
    'after',
    '\nEverything that is whole is restored. Files that are damaged or missing are listed, their recordings are marked, and\nthe exit code is 7.',
  )
  .action(act(async () => (await import('./restore.ts')).restore));

program
  .command('verify')
  .description('check every hash, page, row and the audit chain of a site; exit code 7 when anything is wrong')
  .addOption(dataOption())
  .addOption(jsonOption())
  .action(act(async () => (await import('./verify.ts')).verify));

program
  .command('openapi')
  .description('print the OpenAPI 3.1 document of the interface')
  .action(act(async () => (await import('./openapi.ts')).openapi));

program
  .command('bench')
  .description('measure this computer beside named peers; prints ratios (from a source checkout only)')
  .argument('[name...]', 'only these benches')
  .addOption(jsonOption())
  .action((names: string[], options: { json?: boolean }) =>
    act(async () => (await import('./bench.ts')).bench)({ ...options, names } as never),
  );

try {
  await program.parseAsync();
} catch (thrown) {
  if (!(thrown instanceof CommanderError)) throw thrown;
  const informative = ['commander.helpDisplayed', 'commander.help', 'commander.version'].includes(thrown.code);
  process.exitCode = informative ? 0 : 2;
  if (!informative && process.argv.includes('--json'))
    reportFailure(new OutpostError('INVALID_INPUT', thrown.message), true);
}

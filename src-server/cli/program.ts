/** Parses the arguments of `outpost`, runs one module per command, and maps failures to messages and exit codes. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { OutpostError } from '../errors.ts';
import { FAULTS_HELP } from '../simulator/device/faults.ts';
import { VERSION } from '../version.ts';
import { CUT_POINT_IDS, NON_WEAR_IDS } from '../vocabulary/analysis-parameters.ts';
import { EXIT_CODES_HELP, reportFailure } from './output.ts';

/** Fixed default port, so that bookmarks and scripts keep working. */
const DEFAULT_PORT = 8480;

type Action<Options> = (options: Options) => Promise<number | undefined>;

/** Lazily loads the module of a command, runs it and sets the exit code. */
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
      throw new InvalidArgumentError(`Enter a whole number from ${minimum} to ${maximum}.`);
    }
    return value;
  };
}

const collect = (value: string, previous: string[]): string[] => [...previous, value];
const dataOption = () => new Option('--data <dir>', 'the site folder').makeOptionMandatory();
const jsonOption = () => new Option('--json', 'print the result as one JSON line').default(false);
const passphraseOption = () =>
  new Option(
    '--passphrase-file <file>',
    'a file whose first line is the passphrase, - for stdin (default: ask on the terminal)',
  );
const portOption = (fallback: number) =>
  new Option('--port <number>', 'port of the desk and the API on this computer; 0 picks a free port')
    .argParser(wholeNumber(0, 65_535))
    .default(fallback);

const program = new Command('outpost')
  .description(
    'Outpost manages the data of remote-monitoring studies on this computer: it receives recordings, computes metrics\n' +
      'and serves the /api/v1 interface. It needs no internet connection. Results go to stdout, messages to stderr.',
  )
  .version(VERSION)
  .showHelpAfterError('(run with --help to list the options)')
  .addHelpText('after', `\n${EXIT_CODES_HELP}`)
  .exitOverride();

program
  .command('init')
  .description('create an empty site with its first administrator, and print its ids as JSON')
  .addOption(dataOption())
  .requiredOption('--account <name>', 'name of the organisation')
  .requiredOption('--email <address>', 'email address of the first administrator')
  .option(
    '--password-file <file>',
    'a file whose first line is the password of the first administrator, 8 to 64 characters; - for stdin\n(default: ask on the terminal)',
  )
  .addOption(new Option('--password <password>', 'deprecated, use --password-file').hideHelp())
  .option(
    '--time-zone <zone>',
    "the administrator's time zone, such as US/Eastern",
    Intl.DateTimeFormat().resolvedOptions().timeZone,
  )
  .action(act(async () => (await import('./init.ts')).init));

program
  .command('serve')
  .description('serve a site without a window; prints one JSON line {url, lanUrls, fingerprint} when ready')
  .addOption(dataOption())
  .addOption(portOption(DEFAULT_PORT))
  .addOption(
    new Option(
      '--lan-port <number>',
      'port for devices on the local network; 0 picks a free port (default: as in the site settings, initially 8481)',
    ).argParser(wholeNumber(0, 65_535)),
  )
  .option('--no-lan', 'do not listen on the local network')
  .option('--no-desk', 'do not build the desk in a fresh checkout; serve only the API')
  .option('--set-up', 'if the folder is empty or missing, serve a local page that creates the site')
  .addHelpText('after', '\nShuts down cleanly on SIGTERM and SIGINT: running jobs return to the queue.')
  .action(act(async () => (await import('./serve.ts')).serve));

program
  .command('demo')
  .description('create a demo site with simulated recordings, analyse them, print a summary and serve the site')
  .addOption(new Option('--data <dir>', 'an empty or new folder for the site (default: a temporary folder)'))
  .addOption(portOption(0))
  .option('--subjects <number>', 'number of subjects', wholeNumber(1, 20), 3)
  .option('--days <number>', 'days of recordings per subject', wholeNumber(1, 14), 2)
  .option(
    '--seed <number>',
    'seed of the random numbers; the same seed gives the same signals',
    wholeNumber(0, 2 ** 31 - 1),
    1,
  )
  .option('--once', 'exit after the summary instead of serving', false)
  .addOption(jsonOption())
  .action(act(async () => (await import('./demo.ts')).demo));

program
  .command('import')
  .description('import files into a site: MC10 ZIP or CSV folder, EDF, EDF+, BDF, WFDB, Outpost .sig')
  .argument('[file...]', 'files or folders; LOCATION=FILE sets where the sensor was worn')
  .addOption(dataOption())
  .requiredOption('--study <id or name>', 'id or name of the study')
  .requiredOption('--subject <id or name>', 'id or name of the subject')
  .option(
    '--sensor <LOCATION=FILE>',
    'a file and where its sensor was worn, such as MEDIAL_CHEST=day1.edf; repeatable',
    collect,
    [],
  )
  .addOption(new Option('--side <side>', 'side of the body').choices(['LEFT', 'RIGHT', 'NONE']))
  .option('--time-zone <zone>', "time zone of the local times in the files (default: the subject's)")
  .option('--start <time>', 'start time of files without a date, in ISO 8601 with a UTC offset')
  .option('--accept-overlap', 'import also what shares time with a stored recording of the same device', false)
  .option('--recognise', 'say what the files are from their first bytes; import nothing', false)
  .addOption(jsonOption())
  .action((files: string[], options: { json?: boolean }) =>
    act(async () => (await import('./import.ts')).importFiles)({ ...options, files } as never),
  );

program
  .command('analyze')
  .description('analyse files without a site: beats, steps, channels, daily metrics and sleep')
  .option('--sensor <LOCATION=FILE>', 'a recording and where its sensor was worn; repeatable', collect, [])
  .option(
    '--batch <file>',
    'a JSON list of {name, timeZone, interval, parameters, sensors: [{location, file}]}; prints one JSON line per entry',
  )
  .option('--time-zone <zone>', "the wearer's time zone, which sets the day boundaries", 'UTC')
  .addOption(
    new Option('--interval <ms>', 'bin width of the channels')
      .choices(['1000', '5000', '10000', '15000', '30000', '60000'])
      .default('60000'),
  )
  .option('--cut-points <id>', 'published cut points of intensity; one for a wrist and one for a waist', collect, [])
  .addOption(new Option('--non-wear <rule>', 'rule of non-wear of a wrist or waist').choices(NON_WEAR_IDS))
  .option('--parameters <file>', 'a JSON file of {cutPoints: {wrist, waist}, nonWear, rhythm}, all optional')
  .addOption(jsonOption())
  .addHelpText(
    'after',
    '\nLocations: MEDIAL_CHEST, ECG_LEAD_II, ANTERIOR_THIGH, SACRUM (lower back and waist), HIP, WRIST, and others as in the API.\n' +
      'A sensor at a wrist, a hip or the lower back is calibrated as in a site, for which its file is read twice. The answer says how.\n' +
      'The numbers are those of a site of this version that imports the same files.\n' +
      `Cut points: ${CUT_POINT_IDS.join(', ')}.\n` +
      'Thresholds in "rhythm" of --parameters: pauseSeconds, bradycardiaBpm, tachycardiaBpm, episodeSeconds.\n' +
      'Example: outpost analyze --sensor MEDIAL_CHEST=chest.edf --sensor ANTERIOR_THIGH=thigh.edf --time-zone Asia/Tokyo',
  )
  .action(act(async () => (await import('./analyze.ts')).analyze));

const simulate = program.command('simulate').description('simulate a device on the network, for demos and tests');

function simulatedDevice(name: string, serial: string): Command {
  return simulate
    .command(name)
    .option(
      '--state <dir>',
      'state folder of the device (default: a folder named after its serial number, in the current folder)',
    )
    .option('--serial <number>', 'serial number of the device', serial)
    .option('--site <url>', 'site address as shown by the desk, such as https://192.168.1.20:8481')
    .option('--code <code>', 'pairing code as shown by the desk')
    .option('--link <text>', 'text of the pairing or sign-in QR code, instead of --site and --code')
    .option('--fault <fault>', 'a fault to simulate, see below; repeatable', collect, [])
    .addHelpText('after', `\n${FAULTS_HELP}`);
}

simulatedDevice('hub', 'SIM-HUB-1')
  .description('simulate a hub: pairs, records, and uploads the recordings to the site')
  .option('--hours <number>', 'hours to record with each assigned sensor; 0 for none', Number, 1)
  .option(
    '--seed <number>',
    'seed of the random numbers; the same seed gives the same signals',
    wholeNumber(0, 2 ** 31 - 1),
    1,
  )
  .option('--file <path>', 'a .sig file to upload instead; repeatable', collect, [])
  .option('--sensor <serial>', 'serial number of the sensor that recorded the files')
  .option('--battery <percent>', 'battery level', wholeNumber(0, 100), 100)
  .option('--every <seconds>', 'interval between contacts', wholeNumber(1, 86_400), 60)
  .option('--once', 'exit when everything has been sent', false)
  .addOption(jsonOption())
  .action(act(async () => (await import('./simulate/hub.ts')).simulateHub));

simulatedDevice('phone', 'SIM-PHONE-1')
  .description("simulate a subject's phone: signs in or pairs, completes the day's tasks, sends and reads messages")
  .option('--token <token>', 'sign-in token of a subject, for use with --site')
  .option('--fingerprint <hex>', 'expected fingerprint of the site key (default: trust on first use)')
  .option('--message <text>', 'a message to the team; repeatable', collect, [])
  .option('--no-tasks', 'complete no tasks')
  .option(
    '--seed <number>',
    'seed of the random numbers; the same seed gives the same answers',
    wholeNumber(0, 2 ** 31 - 1),
    1,
  )
  .option('--battery <percent>', 'battery level', wholeNumber(0, 100), 100)
  .option('--every <seconds>', 'interval between contacts', wholeNumber(1, 86_400), 60)
  .option('--once', 'exit when everything has been sent', false)
  .addOption(jsonOption())
  .action(act(async () => (await import('./simulate/phone.ts')).simulatePhone));

program
  .command('backup')
  .description('back up a site, running or not, and verify the backup; exit code 7 if the site has damaged files')
  .addOption(dataOption())
  .requiredOption(
    '--to <dir or file.zip>',
    'a backup folder, in which backups share unchanged files, or a new .zip file',
  )
  .option(
    '--encrypt',
    'make a new folder one of encrypted backups, or let this site add to one; asks for the passphrase',
    false,
  )
  .addOption(passphraseOption())
  .addOption(jsonOption())
  .action(act(async () => (await import('./backup.ts')).backup));

program
  .command('change-passphrase')
  .description('change the passphrase of a folder of encrypted backups: of all backups in it, and of later ones')
  .requiredOption('--backups <dir>', 'the folder of encrypted backups')
  .addOption(passphraseOption())
  .option('--new-passphrase-file <file>', 'a file whose first line is the new one (default: ask on the terminal)')
  .addOption(jsonOption())
  .addHelpText(
    'after',
    '\nNo backup is made again, because the passphrase only protects their key. Copies of the folder elsewhere keep the old one.\n' +
      'Unlike a change at the desk, this one is not recorded in the audit trail.',
  )
  .action(act(async () => (await import('./change-passphrase.ts')).changeBackupPassphrase));

program
  .command('restore')
  .description('restore a backup as a site in an empty or new folder')
  .requiredOption('--from <path>', 'a backup, a backup folder (uses the latest), or a .zip file')
  .addOption(dataOption())
  .option('--key <file>', 'site.key of the original site, needed for consistent de-identified exports')
  .addOption(passphraseOption())
  .option('--strict', 'restore nothing if any part of the backup is damaged', false)
  // Accepted for older scripts: this is now the default.
  .addOption(new Option('--skip-damaged').hideHelp())
  .addOption(jsonOption())
  .addHelpText(
    'after',
    '\nRestores all intact files. Damaged or missing files are listed, their recordings are marked, and the exit code is 7.',
  )
  .action(act(async () => (await import('./restore.ts')).restore));

program
  .command('recover')
  .description('find out why a site does not open, and the newest good backup; with an option, get back to work')
  .addOption(dataOption())
  .option('--restore', 'restore that backup in the place of the damaged site, which is kept aside', false)
  .option('--rebuild', 'make a new site from the signal files alone, without a backup', false)
  .option('--backups <path>', 'a folder of backups, or a .zip file, to look at first; repeatable', collect, [])
  .addOption(passphraseOption())
  .option('--to <dir>', 'make the new site in this empty folder instead; the damaged one stays where it is')
  .addOption(jsonOption())
  .addHelpText(
    'after',
    '\nWithout --restore and --rebuild it reads backups and changes none. Recordings that the damaged site received after\n' +
      'the backup are added from their files. Exit code 7 if the site does not open, or something is lost.',
  )
  .action(act(async () => (await import('./recover.ts')).recover));

program
  .command('return-files')
  .description(
    'put lost and damaged signal files back from backups, each compared with its hash; the site must be closed',
  )
  .addOption(dataOption())
  .option('--backups <dir>', 'a folder of backups to look at first; repeatable', collect, [])
  .addOption(passphraseOption())
  .addOption(jsonOption())
  .addHelpText(
    'after',
    '\nRun `outpost verify` first. Good files are never replaced. Exit code 7 if a file has no good copy.',
  )
  .action(act(async () => (await import('./return-files.ts')).putFilesBack));

program
  .command('verify')
  .description('verify all hashes, blocks, rows and the audit chain of a site; exit code 7 if there are problems')
  .addOption(dataOption())
  .option('--deep', 'also decode every sample, which finds nothing more unless a file was stored wrong', false)
  .addOption(jsonOption())
  .action(act(async () => (await import('./verify.ts')).verify));

program
  .command('audit')
  .description('export the audit trail with a program that verifies it without Outpost; prints its closing hash')
  .addOption(dataOption())
  .requiredOption('--to <file.zip>', 'a new file')
  .option('--study <id>', 'only entries of this study')
  .option('--subject <id>', 'only entries of this subject')
  .option('--record <TYPE:ID>', 'only entries about this record, such as recording:0197...')
  .addOption(jsonOption())
  .addHelpText(
    'after',
    '\nKeep the number of rows and the closing hash apart from the file: they show that no entry was removed at its end.\n' +
      'The site may be running. Unlike an export from the desk, this one is not recorded in the audit trail.',
  )
  .action(act(async () => (await import('./audit.ts')).exportAudit));

program
  .command('export-subject')
  .description("write a subject's own copy of everything that the site holds about them; the site must be closed")
  .addOption(dataOption())
  .requiredOption('--study <id or name>', 'id or name of the study')
  .requiredOption('--subject <id or name>', 'id, code or name of the subject')
  .requiredOption('--to <file.zip>', 'a new file')
  .addOption(jsonOption())
  .addHelpText(
    'after',
    '\nWithout other subjects in it. The audit trail records the export. A running site: use its desk.',
  )
  .action(act(async () => (await import('./subject-data.ts')).exportSubject));

program
  .command('erase-subject')
  .description('permanently erase a subject and everything that the site holds about them; the site must be closed')
  .addOption(dataOption())
  .requiredOption('--study <id or name>', 'id or name of the study')
  .requiredOption('--subject <id or name>', 'id, code or name of the subject')
  .requiredOption('--confirm <code>', 'the code or name of the subject, exactly as the desk shows it')
  .requiredOption('--reason <text>', 'stays in the audit trail, so it must not name the person')
  .addOption(jsonOption())
  .addHelpText(
    'after',
    '\nCannot be undone. An interrupted erasure is completed by the next start. A running site: use its desk.',
  )
  .action(act(async () => (await import('./subject-data.ts')).eraseSubject));

const user = program.command('user').description('let users in again who are locked out; the site may be running');
const emailOption = () => new Option('--email <address>', 'email address of the user').makeOptionMandatory();

user
  .command('reset-second-factor')
  .description('remove the second factor of a user who lost the phone and the recovery codes; ends all their sessions')
  .addOption(dataOption())
  .addOption(emailOption())
  .addOption(jsonOption())
  .addHelpText(
    'after',
    '\nRecovery codes work whatever the clock of this computer says. One who has some does not need this command.',
  )
  .action(act(async () => (await import('./user.ts')).resetFactor));

user
  .command('reset-password')
  .description('print a one-time code with which a user sets a new password at the desk')
  .addOption(dataOption())
  .addOption(emailOption())
  .addOption(jsonOption())
  .action(act(async () => (await import('./user.ts')).resetPassword));

const certificate = program
  .command('certificate')
  .description("show the certificates of a site, and set or remove the clinic's own; the site may be running");

certificate
  .command('show')
  .description(
    'print what the site serves, for which names, by which issuer and until when, with fingerprints and pins',
  )
  .addOption(dataOption())
  .addOption(jsonOption())
  .action(act(async () => (await import('./certificate.ts')).showCertificates));

certificate
  .command('set')
  .description("set or renew the clinic's own certificate; a running site serves it at once")
  .argument(
    '<file...>',
    'PEM files that hold the certificate, its key and all authorities above, or one PKCS#12 file (.p12, .pfx)',
  )
  .addOption(dataOption())
  .option('--name <host>', 'name that phones use; needed when the certificate has only wildcards')
  .addOption(passphraseOption())
  .addOption(jsonOption())
  .addHelpText(
    'after',
    '\nThe passphrase of an encrypted key or PKCS#12 file is asked for when it is needed. Key, chain, names, dates, purpose and\n' +
      'strength are checked, and nothing changes when one of them is wrong. Addresses and .local names keep the key that\n' +
      'devices pin.',
  )
  .action((files: string[], options: { json?: boolean }) =>
    act(async () => (await import('./certificate.ts')).setCertificate)({ ...options, files } as never),
  );

certificate
  .command('remove')
  .description("remove the clinic's own certificate with its key; phones that use its name can no longer open the site")
  .addOption(dataOption())
  .addOption(jsonOption())
  .action(act(async () => (await import('./certificate.ts')).removeCertificate));

const analysisRuns = program
  .command('analysis-runs')
  .description(
    'analyse a study again beside the results in use, compare, and adopt the outcome; the site may be running',
  );

const studyOption = () => new Option('--study <id or name>', 'id or name of the study').makeOptionMandatory();
const whyOption = () => new Option('--reason <text>', 'who and why; kept in the audit trail').makeOptionMandatory();

/** A command about one run. */
const runCommand = (name: string, description: string) =>
  analysisRuns
    .command(name)
    .description(description)
    .argument('<run>', 'id or name of the run')
    .addOption(dataOption())
    .addOption(studyOption());

analysisRuns
  .command('list')
  .description('list the runs of a study with their states, and the version that the study is pinned to')
  .addOption(dataOption())
  .addOption(studyOption())
  .addOption(jsonOption())
  .action(act(async () => (await import('./analysis-runs.ts')).listRuns));

analysisRuns
  .command('create')
  .description('analyse all recordings of a study again; what is in use stays as it is')
  .argument('<name>', 'name of the run')
  .addOption(dataOption())
  .addOption(studyOption())
  .addOption(whyOption())
  .option('--cut-points <id>', 'cut points of intensity instead of those of the study; repeat it', collect, [])
  .addOption(new Option('--non-wear <rule>', 'rule of non-wear instead of that of the study').choices(NON_WEAR_IDS))
  .option('--parameters <file>', 'a JSON file with parameters of the analysis, as outpost analyze takes it')
  .option(
    '--subject <subject>',
    'name or id of a subject; repeat it. Such a run compares, but is not adopted',
    collect,
    [],
  )
  .addOption(jsonOption())
  .action((name: string, options: object) =>
    act(async () => (await import('./analysis-runs.ts')).createRun)({ ...options, name } as never),
  );

runCommand('compare', 'compare a run with what is in use: bias and 95 % limits of agreement of each metric')
  .addOption(jsonOption())
  .action((run: string, options: object) =>
    act(async () => (await import('./analysis-runs.ts')).compareRuns)({ ...options, run } as never),
  );

runCommand('refresh', 'analyse the subjects of a run whose data changed, that failed, or that are new')
  .addOption(jsonOption())
  .action((run: string, options: object) =>
    act(async () => (await import('./analysis-runs.ts')).refreshRun)({ ...options, run } as never),
  );

runCommand('cancel', 'cancel a run; subjects that are done keep their results')
  .addOption(jsonOption())
  .action((run: string, options: object) =>
    act(async () => (await import('./analysis-runs.ts')).cancelRun)({ ...options, run } as never),
  );

runCommand('adopt', 'put the results of a run into use; what was in use becomes a run of its own')
  .addOption(whyOption())
  .addOption(jsonOption())
  .action((run: string, options: object) =>
    act(async () => (await import('./analysis-runs.ts')).adoptRun)({ ...options, run } as never),
  );

analysisRuns
  .command('pin')
  .description('pin a study to a version of the algorithms; with none it follows the program')
  .argument('<version>', 'a version, such as 11, or none')
  .addOption(dataOption())
  .addOption(studyOption())
  .addOption(whyOption())
  .addOption(jsonOption())
  .action((version: string, options: object) =>
    act(async () => (await import('./analysis-runs.ts')).pinStudy)({ ...options, version } as never),
  );

runCommand('delete', 'delete a run that was never adopted, with its results')
  .requiredOption('--confirm <name>', 'the name of the run once more')
  .addOption(whyOption())
  .addOption(jsonOption())
  .action((run: string, options: object) =>
    act(async () => (await import('./analysis-runs.ts')).deleteRun)({ ...options, run } as never),
  );

const docks = program
  .command('docks')
  .description('recordings on docked devices and in watched folders, of a site that is running');

docks
  .command('list')
  .description('list recordings that are offered, are copied, or were taken')
  .addOption(dataOption())
  .addOption(jsonOption())
  .action(act(async () => (await import('./docks.ts')).listDocks));

docks
  .command('take')
  .description('copy, verify, import and analyse a recording; nothing is written to the device')
  .argument('<id>', 'id of the recording, or its first letters')
  .addOption(dataOption())
  .option('--study <id>', 'id of the study (default: that of the presumed subject)')
  .option('--subject <id>', 'id of the subject (default: the one to whom the device was handed)')
  .option('--reason <text>', 'why; needed where the register does not say whose recording it is')
  .option('--template <name>', 'template of the study by which a table is read, where not exactly one has its header')
  .option('--start <time>', 'start of a recording whose file does not say it, such as 2026-03-01T08:00:00+09:00')
  .addOption(jsonOption())
  .action((id: string, options: object) =>
    act(async () => (await import('./docks.ts')).takeFromDock)({ ...options, id } as never),
  );

docks
  .command('confirm')
  .description('confirm that a stored recording is verified, so that its device may be cleared')
  .argument('<id>', 'id of the recording, or its first letters')
  .addOption(dataOption())
  .requiredOption('--reason <text>', 'who confirms it and why; kept in the audit trail')
  .addOption(jsonOption())
  .action((id: string, options: object) =>
    act(async () => (await import('./docks.ts')).confirmDock)({ ...options, id } as never),
  );

program
  .command('self-test')
  .description('check that this program works on this computer: cryptography, files, database, processes, time zones')
  .argument('[check...]', 'run only these checks')
  .addOption(jsonOption())
  .addHelpText('after', '\nNeeds no site and changes none. Exit code 7 if a check fails; each says what to do.')
  .action((names: string[], options: { json?: boolean }) =>
    act(async () => (await import('./self-test.ts')).selfTest)({ ...options, names } as never),
  );

program
  .command('openapi')
  .description('print the OpenAPI 3.1 document of the API, or a client for Python made from it')
  .option('--python', 'print the module outpost_client.py instead: Python 3.9 or later, no packages')
  .action(act(async () => (await import('./openapi.ts')).openapi));

program
  .command('bench')
  .description('benchmark against named peers and print ratios (source checkout only)')
  .argument('[name...]', 'run only these benchmarks')
  .addOption(jsonOption())
  .action((names: string[], options: { json?: boolean }) =>
    act(async () => (await import('./bench.ts')).bench)({ ...options, names } as never),
  );

// A reader that has seen enough, such as `head`, ends no command: a site is served on, and a backup is completed.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EPIPE') throw thrown;
  });

try {
  await program.parseAsync();
} catch (thrown) {
  if (!(thrown instanceof CommanderError)) throw thrown;
  const informative = ['commander.helpDisplayed', 'commander.help', 'commander.version'].includes(thrown.code);
  process.exitCode = informative ? 0 : 2;
  if (!informative && process.argv.includes('--json'))
    reportFailure(new OutpostError('INVALID_INPUT', thrown.message), true);
}

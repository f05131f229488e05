import { CLIENT_TRIALS } from "./all.ts";
import { describeTrials, prepareTrials } from "./run-trials.ts";

/** The trials that need only packages of this project; `npm run test:clients` runs all of them. */
describeTrials(await prepareTrials(CLIENT_TRIALS.filter(({ quick }) => quick)));

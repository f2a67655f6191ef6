import { after, before } from 'node:test';
import { Workplace } from './program.mjs';
import { Reader } from './reader.mjs';

/** One report for all tests of a file: `make(place)` leaves the run folder `run` with its report, which is opened once. */
export function openedReport(run, make) {
  const place = new Workplace();
  const opened = { place, file: place.file(`${run}/report.html`) };
  before(async () => {
    opened.reader = await Reader.start();
    make(place);
    opened.page = await opened.reader.open(opened.file);
  });
  after(() => opened.reader?.close());
  return opened;
}

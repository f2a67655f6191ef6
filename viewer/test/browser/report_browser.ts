import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { build } from 'vite';
import { fillTemplate, type Filling } from '../../dev/fill_template';

const candidates = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine; undefined: there is none. CHROMIUM names another. */
export const browserProgram = candidates.find((path): path is string => path !== undefined && existsSync(path));

/** The built page in a browser, without a graphics card. */
export class ReportBrowser {
  private constructor(
    private readonly browser: Browser,
    private readonly folder: string,
    private readonly template: string,
  ) {}

  /** Builds the page and starts the browser. */
  static async start(options: string[] = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader']): Promise<ReportBrowser> {
    const folder = mkdtempSync(join(tmpdir(), 'pithball-page-'));
    await build({ logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
    const template = readFileSync(join(folder, 'report.html'), 'utf8');
    const browser = await chromium.launch({ executablePath: browserProgram!, args: ['--no-sandbox', ...options] });
    return new ReportBrowser(browser, folder, template);
  }

  /** Opens a page with these documents from disk, when everything on it is drawn; an error on it fails the test. */
  async open(fillings: Filling[], options: BrowserContextOptions = {}): Promise<Page> {
    const file = join(this.folder, 'filled.html');
    writeFileSync(file, fillTemplate(this.template, fillings));
    const page = await this.browser.newPage({ viewport: { width: 1000, height: 900 }, reducedMotion: 'reduce', ...options });
    page.on('pageerror', (error) => {
      throw error;
    });
    await page.goto(pathToFileURL(file).href);
    await page.evaluate(() => window.pithball.ready);
    return page;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    rmSync(this.folder, { recursive: true });
  }
}

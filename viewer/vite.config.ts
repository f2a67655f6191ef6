import { createHash } from 'node:crypto';
import { defineConfig } from 'vitest/config';
import type { Plugin } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';
import { exampleSections } from './dev/example_sections';
import { fillTemplate } from './dev/fill_template';

/** While developing, the page shows the example documents; the built template keeps its comment for the program. */
const exampleWhileServing: Plugin = {
  name: 'pithball-example',
  apply: 'serve',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) =>
      fillTemplate(html, exampleSections()).replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
  },
};

/** Where the policy of report.html wants the hash; without it no script may run. */
const hashPlace = 'written-by-the-build';

/** Writes into the page's policy that its one script may run, by its hash, and no other. */
function allowOwnScript(page: string): string {
  const [script, another] = [...page.matchAll(/<script type="module"[^>]*>([^]*?)<\/script>/g)].map(([, text]) => text);
  if (!script || another !== undefined || page.split(hashPlace).length !== 2)
    throw new Error('the page must hold one script and one policy');
  return page.replace(hashPlace, () => createHash('sha256').update(script).digest('base64'));
}

const ownScriptOnly: Plugin = {
  name: 'pithball-own-script-only',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler: (_, bundle) => {
      for (const file of Object.values(bundle))
        if (file.type === 'asset' && file.fileName.endsWith('.html')) file.source = allowOwnScript(String(file.source));
    },
  },
};

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), ownScriptOnly, exampleWhileServing],
  build: {
    target: 'es2022',
    rollupOptions: { input: 'report.html' },
    // Licenses are in the page itself, under "Licenses" (src/licenses.ts).
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
  },
  test: { include: ['test/**/*.test.ts'] },
});

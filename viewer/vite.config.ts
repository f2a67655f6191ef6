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

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), exampleWhileServing],
  build: {
    target: 'es2022',
    rollupOptions: { input: 'report.html' },
    // Licences are in the page itself, under "Licences" (src/licences.ts).
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
  },
  test: { include: ['test/**/*.test.ts'] },
});

import { readFileSync, writeFileSync } from 'node:fs';
import { exampleSections } from './example_sections';
import { fillTemplate } from './fill_template';

const dist = new URL('../dist/', import.meta.url);
const template = readFileSync(new URL('report.html', dist), 'utf8');
writeFileSync(new URL('example.html', dist), fillTemplate(template, exampleSections()));

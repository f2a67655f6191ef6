/** A piece of a line of YAML and what it is; `plain` needs no color. */
export interface Token {
  kind: 'plain' | 'key' | 'text' | 'number' | 'comment';
  text: string;
}

const patterns: [Token['kind'], RegExp][] = [
  ['comment', /^#.*/],
  ['text', /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/],
  ['key', /^[A-Za-z_][\w .-]*(?=:(?:\s|$))/],
  ['number', /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])/],
  ['plain', /^(?:[A-Za-z_][\w./-]*|\s+|.)/u],
];

/** Splits one line of YAML into tokens whose texts joined are the line: enough to color what `run.yaml` holds. */
export function yamlTokens(line: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < line.length; ) {
    const rest = line.slice(at);
    for (const [kind, pattern] of patterns) {
      if (kind === 'comment' && at > 0 && !/\s/.test(line[at - 1]!)) continue;
      if (kind === 'number' && at > 0 && /[\w.]/.test(line[at - 1]!)) continue;
      const text = pattern.exec(rest)?.[0];
      if (text === undefined || text === '') continue;
      const last = tokens[tokens.length - 1];
      if (kind === 'plain' && last?.kind === 'plain') last.text += text;
      else tokens.push({ kind, text });
      at += text.length;
      break;
    }
  }
  return tokens;
}

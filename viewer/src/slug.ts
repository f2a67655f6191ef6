/** A title as the id of an element: lower-case letters and digits with hyphens between; "section" where none is left. */
export function slug(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'section';
}

/** Gives each title an id that no other has: the second "plot" is "plot-2". */
export function makeSlugs(): (title: string) => string {
  const taken = new Set<string>();
  return (title) => {
    const base = slug(title);
    let id = base;
    for (let n = 2; taken.has(id); ++n) id = `${base}-${n}`;
    taken.add(id);
    return id;
  };
}

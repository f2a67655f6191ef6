import { DataTexture, LinearFilter, RGBAFormat, UnsignedByteType } from 'three';
import { mapTable, type MapName } from '../color/maps';

const textures = new Map<MapName, DataTexture>();

/** A color map as a texture of 256 × 1, for looking up a tone from 0 to 1. */
export function colorTexture(name: MapName): DataTexture {
  let texture = textures.get(name);
  if (!texture) textures.set(name, (texture = makeTexture(mapTable(name))));
  return texture;
}

function makeTexture(table: Uint8ClampedArray): DataTexture {
  const count = table.length / 3;
  const bytes = new Uint8Array(4 * count);
  for (let i = 0; i < count; ++i) bytes.set([table[3 * i]!, table[3 * i + 1]!, table[3 * i + 2]!, 255], 4 * i);
  const texture = new DataTexture(bytes, count, 1, RGBAFormat, UnsignedByteType);
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

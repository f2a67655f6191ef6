import { DataTexture, FloatType, RGBAFormat } from 'three';

/** Four numbers for each of many points, where a shader can look them up by index; one upload moves everything drawn from it. */
export class PointTexture {
  readonly texture: DataTexture;
  private readonly values: Float32Array;

  constructor(readonly count: number) {
    const width = Math.max(1, Math.min(1024, Math.ceil(Math.sqrt(count))));
    const height = Math.max(1, Math.ceil(count / width));
    this.values = new Float32Array(4 * width * height);
    this.texture = new DataTexture(this.values, width, height, RGBAFormat, FloatType);
    this.texture.needsUpdate = true;
  }

  /** Sets the positions, three numbers each. */
  setPositions(positions: ArrayLike<number>): void {
    for (let i = 0, from = 0, to = 0; i < this.count; ++i, to += 4) {
      this.values[to] = positions[from++]!;
      this.values[to + 1] = positions[from++]!;
      this.values[to + 2] = positions[from++]!;
    }
    this.texture.needsUpdate = true;
  }

  /** Sets the fourth number of each point. */
  setFourth(value: (index: number) => number): void {
    for (let i = 0; i < this.count; ++i) this.values[4 * i + 3] = value(i);
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.texture.dispose();
  }
}

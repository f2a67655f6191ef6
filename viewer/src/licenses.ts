import three from '../node_modules/three/LICENSE?raw';
import uplot from '../node_modules/uplot/LICENSE?raw';

/** The notices of the libraries that the page contains, which their licenses ask to keep. */
export const licenses = [
  { name: 'three.js', text: three },
  { name: 'uPlot', text: uplot },
];

// Prints the settings of all scenarios, and which of the variables in NAMES each scenario refuses.
import { settings, slipOf } from '../../../../../scenarios/lib/slips.js';

const refused = {};
if (__VU === 0) {
  const names = __ENV.NAMES ? __ENV.NAMES.split(',') : [];
  for (const scenario of Object.keys(settings)) {
    for (const name of names) __ENV[name] = 'x';
    for (let slip = slipOf(scenario); slip; slip = slipOf(scenario)) {
      const [name] = slip.split(' ');
      refused[`${scenario} ${name}`] = slip;
      delete __ENV[name];
    }
  }
  console.log(JSON.stringify({ settings, refused }));
}

export default function () {}

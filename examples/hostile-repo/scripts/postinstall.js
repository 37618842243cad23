// Would run on the host on `npm install`.
import { writeFileSync } from 'node:fs';

writeFileSync('/tmp/hostile-repo-postinstall-ran', String(process.pid));

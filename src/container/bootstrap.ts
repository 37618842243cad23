import { GUEST } from '../protocol/guest.ts';
import type { RunPlan } from '../protocol/plan.ts';

/** Line on the error stream that says that the repository inside is complete; nothing untrusted runs before it. */
export const REPOSITORY_READY = 'pi-sandbox: repository ready';
/** Exit code of the bootstrap when the archive could not be unpacked. */
export const UNPACK_FAILED = 97;
/** Exit code of the bootstrap when the guard is not the one that this version ships. */
export const GUARD_DIFFERS = 98;

/**
 * pi leaves when its guard is missing or broken, but not when it is another one. Looked at in the background, where it
 * costs nothing: the archive takes longer.
 */
const LOOK_AT_GUARD = `
echo "$GUARD_SHA256  ${GUEST.guard}" | /usr/bin/sha256sum --check --status 2>/dev/null & guard=$!`;
/** Not before the host has said something: it still looks at this process until then. */
const REQUIRE_GUARD = `wait "$guard" || { read -r -t 30; exit ${GUARD_DIFFERS}; }`;

/**
 * Brings the repository in and becomes pi, in one process: the archive and pi's commands come through the same stdin.
 * A one-commit repository is made from the files beside pi's start, so that git and ignore-aware search work. It takes
 * only what processor time pi leaves. The double fork gives it to the init, since pi does not reap what it did not start.
 */
const COPY_SCRIPT = `${LOOK_AT_GUARD}
/bin/mkdir -p -m 0700 "$WORKSPACE" && cd "$WORKSPACE" || exit ${UNPACK_FAILED}
/bin/tar -x -p -f - || exit ${UNPACK_FAILED}
${REQUIRE_GUARD}
( (
  if command -v git >/dev/null 2>&1; then
    renice -n 19 -p "$BASHPID"
    git init -q -b main --template= . && mkdir .git/hooks .git/info &&
    printf '[user]\\n\\tname = pi agent\\n\\temail = agent@sandbox\\n' >> .git/config &&
    git -c core.autocrlf=false -c gc.auto=0 -c core.safecrlf=false add -A . &&
    git -c gc.auto=0 commit -q --allow-empty --no-verify --no-gpg-sign -m "Start state"
  fi </dev/null >/dev/null 2>&1
  echo "${REPOSITORY_READY}" >&2
) & )
exec "$@"`;

const MOUNT_SCRIPT = `${LOOK_AT_GUARD}
if ! [ -r "$WORKSPACE" ] || ! cd "$WORKSPACE"; then
  echo "a mounted folder and its files must be readable for other users (chmod -R o+rX), or use --workspace copy" >&2
  exit ${UNPACK_FAILED}
fi
${REQUIRE_GUARD}
echo "${REPOSITORY_READY}" >&2
exec "$@"`;

/** Command line that starts pi in the container. */
export function bootstrapCommand(plan: RunPlan): string[] {
  const script = plan.workspace.mode === 'copy' ? COPY_SCRIPT : MOUNT_SCRIPT;
  const values = `WORKSPACE=${plan.workspace.path} GUARD_SHA256=${plan.pi.guardSha256}`;
  return ['/bin/bash', '-c', `${values}${script}`, 'pi', ...plan.pi.argv];
}

/** Environment of pi. */
export function bootstrapEnv(plan: RunPlan): string[] {
  return Object.entries(plan.pi.env).map(([name, value]) => `${name}=${value}`);
}

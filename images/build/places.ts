import { GUEST } from '../../src/protocol/guest.ts';

/** Commands that the image has none of its own of. Last in the PATH of pi and its commands. */
export const BIN_FOLDER = `${GUEST.root}/bin`;
/** Bundled tools with their libraries; present only when the image lacks one. */
export const TOOLS_FOLDER = `${GUEST.root}/tools`;
/** pi looks here before it looks in PATH. Used only when the image's own tool is too old for pi. */
export const AGENT_BIN_FOLDER = `${GUEST.agentDir}/bin`;

/** Where earlier build steps leave things for the assembling step. */
export const STAGED = { node: '/pi-sandbox-node', tools: '/pi-sandbox-tools', out: '/pi-sandbox-out' } as const;

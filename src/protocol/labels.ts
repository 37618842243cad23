/** Labels on everything that we create in an engine. */
export const LABEL = {
  /** Run id. Present on every container and volume of ours. */
  run: 'pi-sandbox.run',
  /** Hash of host, user and state folder: whose container it is. */
  installation: 'pi-sandbox.installation',
  /** Leased pair of user ids, 0-63. */
  slot: 'pi-sandbox.slot',
  /** On images: product version. */
  version: 'pi-sandbox.version',
  /** On images: SHA-256 of everything that went into the guest side. */
  guest: 'pi-sandbox.guest',
  /** On images: the image that was layered upon. */
  base: 'pi-sandbox.base',
} as const;

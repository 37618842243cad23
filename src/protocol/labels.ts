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
  /** On images: `user` when the base is a user's own image, to which no packages were added. */
  origin: 'pi-sandbox.origin',
  /** On the unnamed images that the classic builder leaves behind for its cache: which stage it was. */
  stage: 'pi-sandbox.stage',
} as const;

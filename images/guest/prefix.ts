/** Every text that the guard gives the model starts like this. */
export const GUARD_PREFIX = 'pi-sandbox: ';

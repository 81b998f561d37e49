// The components, from one place.
export { Badge, Bar, Count, Duration, Facts, Money, Share, Time, Tokens, useClock }
  from './values.js';
export { Choices, Field, Filters } from './forms.js';
export { Confirm, Dialog, Questions, ask } from './dialog.js';
export { Copy, copyText } from './copy.js';
export { Empty, FormError, Loading, Problem, Stale, State } from './state.js';
export { DURATION_STEPS_S, Plot } from './plot.js';
export { Spark } from './spark.js';
export { Table, moveRow, sortRows } from './table.js';
export { Toasts, toast } from './toast.js';
export { Page } from './page.js';

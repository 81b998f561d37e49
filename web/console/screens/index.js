// Every screen: its path below the console, and the module that is loaded when it is first shown.
// A module's default export is a component: ({query, params, session}) => vnode.

/** @type {Array<ScreenEntry>} */
export const SCREENS = [
  { path: 'models', title: 'Models', scope: 'read', all: true,
    load: () => import('./models.js') },
  { path: 'models/:name', title: 'Model', nav: 'models', scope: 'read', all: true,
    load: () => import('./model.js') },
  { path: 'tasks', title: 'Tasks', scope: 'read', load: () => import('./tasks.js') },
  { path: 'tasks/:id', title: 'Task', nav: 'tasks', scope: 'read',
    load: () => import('./task.js') },
  { path: 'dead-letters', title: 'Dead letters', scope: 'read',
    load: () => import('./dead_letters.js') },
  { path: 'jobs', title: 'Jobs', scope: 'read', load: () => import('./jobs.js') },
  { path: 'jobs/:id', title: 'Job', nav: 'jobs', scope: 'read', load: () => import('./jobs.js') },
  { path: 'batches', title: 'Batches', scope: 'read', load: () => import('./batches.js') },
  { path: 'batches/:id', title: 'Batch', nav: 'batches', scope: 'read',
    load: () => import('./batches.js') },
  { path: 'submit', title: 'Submit', scope: 'submit', load: () => import('./submit.js') },
  { path: 'spend', title: 'Spend', scope: 'read', load: () => import('./spend.js') },
  { path: 'routes', title: 'Routes', scope: 'admin', all: true,
    load: () => import('./routes.js') },
  { path: 'routes/:name', title: 'Route', nav: 'routes', scope: 'admin', all: true,
    load: () => import('./routes.js') },
  { path: 'tenants', title: 'Tenants', scope: 'admin', all: true,
    load: () => import('./tenants.js') },
  { path: 'tenants/:name', title: 'Tenant', nav: 'tenants', scope: 'admin', all: true,
    load: () => import('./tenant.js') },
  { path: 'budgets', title: 'Budgets', scope: 'admin', all: true,
    load: () => import('./budgets.js') },
  { path: 'budgets/:name', title: 'Budget', nav: 'budgets', scope: 'admin', all: true,
    load: () => import('./budget.js') },
  { path: 'system', title: 'System', scope: 'read', all: true,
    load: () => import('./system.js') },
  { path: 'keys', title: 'API keys', scope: 'admin', all: true, load: () => import('./keys.js') },
];

/** The navigation. key: after "g".
 * @type {Array<NavEntry>} */
export const NAV = [
  { path: 'models', title: 'Models', key: 'm', group: 0, scope: 'read', all: true },
  { path: 'tasks', title: 'Tasks', key: 't', group: 0, scope: 'read' },
  { path: 'dead-letters', title: 'Dead letters', key: 'd', group: 0, scope: 'read' },
  { path: 'jobs', title: 'Jobs', key: 'j', group: 0, scope: 'read' },
  { path: 'batches', title: 'Batches', key: 'b', group: 0, scope: 'read' },
  { path: 'spend', title: 'Spend', key: 's', group: 0, scope: 'read' },
  { path: 'routes', title: 'Routes', key: 'r', group: 1, scope: 'admin', all: true },
  { path: 'tenants', title: 'Tenants', key: 'n', group: 1, scope: 'admin', all: true },
  { path: 'budgets', title: 'Budgets', key: 'u', group: 1, scope: 'admin', all: true },
  { path: 'keys', title: 'API keys', key: 'k', group: 1, scope: 'admin', all: true },
  { path: 'system', title: 'System', key: 'y', group: 1, scope: 'read', all: true },
];

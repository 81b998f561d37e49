// Shapes that cross modules: what the server says, and what the console's own parts hand around.
// Ids of 64 bits are strings everywhere.

interface Store<T> {
  get(): T;
  set(next: T): void;
  listen(listener: () => void): () => void;
}

type Query = Record<string, string | number | boolean | null | undefined>;
interface Place { path: string; query: Record<string, string> }

interface Session {
  signed_in: boolean;
  key_id: string | null;
  without_keys: boolean;
  name: string | null;
  tenant: string | null;
  scopes: Array<'read' | 'submit' | 'admin'>;
  version: string;
}

interface ScreenProps {
  query: Record<string, string>;
  params: Record<string, string>;
  session: Session;
}

interface ScreenEntry {
  path: string;
  title: string;
  /** Below this line of the navigation it is marked. */
  nav?: string;
  scope?: 'read' | 'submit' | 'admin';
  /** Not for keys of one tenant. */
  all?: boolean;
  load(): Promise<{ default: (props: any) => any }>;
}

interface NavEntry {
  path: string;
  title: string;
  /** The key after "g". */
  key?: string;
  group: number;
  scope: 'read' | 'submit' | 'admin';
  all?: boolean;
}

interface ApiFault {
  type: string; code: string | null; message: string; hint: string | null; param: string | null;
  [more: string]: unknown;
}

interface LiveState {
  status: 'off' | 'open' | 'lost' | 'hidden';
  since: number;
  retryAt: number;
  /** Why the server cannot read what it tells, which is old then. */
  fault: string | null;
}

interface UseApiOptions<T> {
  /** Ask again after that many ms. */
  interval?: number;
  /** An event of the stream after which to ask again, or whose payload is merged. */
  live?: 'overview' | 'jobs' | 'ping';
  merge?: (data: T, payload: any) => T;
}

interface LoadedState<T> {
  path: string | null; data: T | null; error: any; loading: boolean; at: number;
}

interface Loaded<T> {
  data: T | null;
  error: any;
  loading: boolean;
  /** Data is shown, but of another filter, or from before an error. */
  stale: boolean;
  /** When the data came, in ms. */
  at: number;
  reload(): void;
}

interface List<T> { object: 'list'; data: Array<T> }

type Pressure = 'normal' | 'warning' | 'critical' | 'overflow';

interface Overview {
  model: string; api: string; paused: boolean;
  state: 'open' | 'paused' | 'parked' | 'closed' | 'breaker open' | 'half open';
  state_reason: string | null; state_until: string | null;
  breaker: 'closed' | 'open' | 'half_open'; pressure: Pressure;
  depth: number; in_flight: number; unfinished: number;
  max_unfinished: number | null; max_in_flight: number | null;
  oldest_ready_s: number | null; rpm: number | null; tpm: number | null;
  calls_per_min: number | null; tokens_per_min: number | null;
  permits_now: number | null; next_permit_at: string | null;
  solved_10min: number | null; failed_10min: number | null;
  p50_s: number | null; p99_s: number | null;
  why: string | null; spark: Array<number> | null;
}

interface Limits {
  rpm: number | null; burst: number | null; permits_now: number | null;
  next_permit_at: string | null; calls_last_minute: number | null;
  tpm: number | null; tokens_reserved: number | null; tokens_used_last_minute: number | null;
  tokens_free: number | null; next_tokens_at: string | null;
}

interface HistoryRow {
  at: string; model: string | null; tenant: string | null;
  /** Of rows by key; null: of tasks that came without one. */
  key?: string | null; key_name?: string | null;
  solved: number; failed: number; cancelled: number; expired: number;
  retries: number; hedges: number; input_tokens: number; output_tokens: number;
  cost: number | null; wasted_tokens: number;
  wait_p50_s: number | null; wait_p99_s: number | null;
  call_p50_s: number | null; call_p99_s: number | null;
  total_p50_s: number | null; total_p99_s: number | null;
}

interface Revision {
  id: string; at: string; who: string; kind: string; name: string;
  action: 'insert' | 'update' | 'delete';
  before: Record<string, unknown> | null; after: Record<string, unknown> | null;
  reverts: string | null;
}

interface AuditRow {
  id: string; at: string; who: string; action: string; object: string | null; detail: unknown;
}

interface Finding { check: string; finding: string; way_out: string }

interface WorkerRow {
  id: string; name: string; slots: number; models: Array<string> | null; version: string | null;
  registered_at: string; seen: string; dead_at: string | null; alive: boolean; in_flight: number;
  apis: Array<string> | null;
  [more: string]: unknown;
}

interface Tenant {
  name: string; weight: number; max_unfinished: number | null; rpm: number | null;
  tpm: number | null; role: string | null;
  [column: string]: unknown;
}

interface ApiKey {
  id: string; name: string; tenant: string | null; scopes: Array<string>;
  created_at: string; revoked_at: string | null;
}

/** One column of a Table. */
interface Column<Row> {
  key: string;
  label: any;
  /** Says more about the label. */
  title?: string;
  /** Right-aligned, tabular. */
  numeric?: boolean;
  /** By which value rows are sorted; left out: not sortable. */
  sort?: (row: Row) => any;
  /** Begin with the largest when its head is first used. */
  descending?: boolean;
  render?: (row: Row) => any;
  /** Follows what is rendered: in the first column, outside of the row's link. */
  more?: (row: Row) => any;
  /** Left out where the page is narrower: 'medium' below 1000 px, 'wide' below 1240, 'narrow'
   * below 640. */
  hide?: 'narrow' | 'medium' | 'wide';
  className?: string;
}

/** A setting that a form edits. */
interface SettingField {
  name: string;
  kind: 'integer' | 'number' | 'interval' | 'text' | 'boolean' | 'choice' | 'list';
  choices?: Array<string>;
  /** What null means: then the field may be empty. */
  none?: string;
  min?: number;
  max?: number;
  hint?: string;
}

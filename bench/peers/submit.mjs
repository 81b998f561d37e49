// Submits to a queue through its own API: node submit.mjs SYSTEM DATABASE COMMAND ...
//   setup                      the schema
//   preload COUNT              in chunks of 1,000; prints the seconds it took
//   clients COUNT SECONDS      one-row submits by so many concurrent callers; prints submits a second, and how many
//   pace RATE SECONDS TICK_MS  open loop: every tick what is due, in one call; prints "number due_ns sent_ns"
// A prompt is its number and padding, 1,000 bytes. Times are CLOCK_MONOTONIC, the mock's clock.
import { setTimeout as sleep } from 'node:timers/promises';

const [system, database, command, ...rest] = process.argv.slice(2);
const numbers = rest.map(Number);
const CHUNK = 1000;
const CONNECTIONS = 32;
const prompt = (number) => `${String(number).padStart(8, '0')} `.padEnd(1000, 'p');

async function pgPool(options = {}) {
  const { Pool } = (await import('pg')).default;
  const pool = new Pool({ connectionString: database, max: CONNECTIONS, ...options });
  pool.on('error', console.error);
  pool.on('connect', (client) => client.on('error', console.error));
  return pool;
}

const openers = {
  // The floor: bare inserts into a table of tasks and one of what waits.
  async bare() {
    const pool = await pgPool();
    return {
      one: (text) => pool.query({
        name: 'one',
        text: `with task as (insert into bare_task (prompt) values ($1) returning id), queue as (insert into bare_queue (id) select id from task)
               select pg_notify('bare', '')`,
        values: [text],
      }),
      many: (texts) => pool.query({
        name: 'many',
        text: `with task as (insert into bare_task (prompt) select unnest($1::text[]) returning id)
               insert into bare_queue (id) select id from task`,
        values: [texts],
      }),
      close: () => pool.end(),
    };
  },

  async sluice() {
    const pool = await pgPool();
    return {
      one: (text) => pool.query({ name: 'one', text: 'select sluice.submit($1, $2)', values: [text, 'm'] }),
      many: (texts) => pool.query('select count(*) from sluice.submit_many($1)',
        [JSON.stringify(texts.map((text) => ({ model: 'm', prompt: text })))]),
      close: () => pool.end(),
    };
  },

  async graphile() {
    const { makeWorkerUtils, Logger } = await import('graphile-worker');
    const pool = await pgPool();
    const utils = await makeWorkerUtils({ pgPool: pool, logger: new Logger(() => () => {}) });
    return {
      async setup() {
        await utils.migrate();
        await pool.query('create table if not exists answers (id bigint primary key, answer text not null)');
      },
      one: (text) => utils.addJob('solve', { prompt: text }),
      many: (texts) => utils.addJobs(texts.map((text) => ({ identifier: 'solve', payload: { prompt: text } }))),
      async close() {
        await utils.release();
        await pool.end();
      },
    };
  },

  async pgboss() {
    const { PgBoss } = await import('pg-boss');
    const boss = new PgBoss({ connectionString: database, supervise: false, schedule: false, max: CONNECTIONS });
    boss.on('error', console.error);
    await boss.start();
    return {
      setup: () => boss.createQueue('bench', { notify: true }),
      one: (text) => boss.send('bench', { prompt: text }),
      many: (texts) => boss.insert('bench', texts.map((text) => ({ data: { prompt: text } }))),
      close: () => boss.stop({ graceful: false }),
    };
  },

  async bullmq() {
    const { Queue } = await import('bullmq');
    const queue = new Queue('bench', { connection: { path: database, enableAutoPipelining: true } });
    return {
      setup: () => queue.waitUntilReady(),
      one: (text) => queue.add('solve', { prompt: text }),
      many: (texts) => queue.addBulk(texts.map((text) => ({ name: 'solve', data: { prompt: text } }))),
      close: () => queue.close(),
    };
  },

  // docs.bullmq.io/guide/postgresql. An ES module passes a pool with the schema in its search path.
  async bullmqpg() {
    const { Queue, createPostgresBackend, runMigrations } = await import('bullmq');
    const pool = await pgPool({ options: '-c search_path=bullmq' });
    let made;
    const queue = () => made ??= new Queue('bench', { connection: pool }, createPostgresBackend);
    return {
      async setup() {
        const client = await pool.connect();
        await runMigrations(client);
        client.release();
      },
      one: (text) => queue().add('solve', { prompt: text }),
      many: (texts) => queue().addBulk(texts.map((text) => ({ name: 'solve', data: { prompt: text } }))),
      async close() {
        await made?.close();
        await pool.end();
      },
    };
  },
};

const range = (from, to) => Array.from({ length: to - from }, (_, index) => prompt(from + index));
const now = () => process.hrtime.bigint();
const secondsSince = (begin) => Number(now() - begin) / 1e9;

const commands = {
  setup: (queue) => queue.setup(),

  async preload(queue, count) {
    const begin = now();
    for (let from = 0; from < count; from += CHUNK) await queue.many(range(from, Math.min(count, from + CHUNK)));
    console.log(secondsSince(begin));
  },

  async clients(queue, count, seconds) {
    const begin = now();
    let submitted = 0;
    const client = async () => {
      while (secondsSince(begin) < seconds) await queue.one(prompt(submitted++));
    };
    await Promise.all(Array.from({ length: count }, client));
    console.log(submitted / secondsSince(begin), submitted);
  },

  // A late tick submits at once, with the time it was due: what waits because of us counts as waiting.
  async pace(queue, rate, seconds, tickMs) {
    await queue.one(prompt(99_999_999)); // opens a connection; not counted
    const lines = [];
    const pending = [];
    const begin = now() + 100_000_000n;
    for (let tick = 0, number = 0; tick * tickMs < seconds * 1000; ++tick) {
      const due = begin + BigInt(Math.round(tick * tickMs * 1e6));
      await sleep(Math.max(0, Number(due - now()) / 1e6));
      const next = Math.round(((tick + 1) * tickMs * rate) / 1000);
      if (next === number) continue;
      const texts = range(number, next);
      const sent = now();
      for (; number < next; ++number) lines.push(`${number} ${due} ${sent}`);
      pending.push(texts.length === 1 ? queue.one(texts[0]) : queue.many(texts));
    }
    await Promise.all(pending);
    console.log(lines.join('\n'));
  },
};

const queue = await openers[system]();
await commands[command](queue, ...numbers);
await queue.close();
await new Promise((written) => process.stdout.write('', written)); // exit() drops what a pipe has not taken
process.exit(0);

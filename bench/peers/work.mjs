// One worker of a peer, with its documented fast settings: node work.mjs SYSTEM DATABASE MOCK_URL STORED_FILE. A task is one HTTP
// POST whose answer is stored durably and is readable by the task's id. Prints "ready"; ends on SIGTERM.
import { writeFileSync } from 'node:fs';
import { Pool as HttpPool } from 'undici';

const [system, database, mockUrl, storedFile] = process.argv.slice(2);
const CALLS = 200; // in flight; with 100 and 400 no peer was faster
const BULLMQ_CONNECTIONS = 40; // on PostgreSQL: with 10, 20 and 80 it was slower

const http = new HttpPool(mockUrl, { connections: CALLS, pipelining: 1 });

async function solve(prompt) {
  const { statusCode, body } = await http.request({
    method: 'POST', path: '/solve', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ model: 'm', prompt }),
  });
  const reply = await body.json();
  if (statusCode !== 200) throw new Error(`the mock answered ${statusCode}`);
  return reply.answer;
}

// graphile-worker keeps no results: they go into a table beside it, all that gathered during the last insert at once.
class AnswerTable {
  waiting = [];
  flushing = false;

  constructor(pool) {
    this.pool = pool;
  }

  store(id, answer) {
    return new Promise((resolve, reject) => {
      this.waiting.push({ id, answer, resolve, reject });
      if (!this.flushing) this.flush();
    });
  }

  async flush() {
    this.flushing = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0);
      try {
        await this.pool.query({
          name: 'store', text: 'insert into answers (id, answer) select * from unnest($1::bigint[], $2::text[])',
          values: [batch.map((each) => each.id), batch.map((each) => each.answer)],
        });
        for (const each of batch) each.resolve();
      } catch (error) {
        for (const each of batch) each.reject(error);
      }
    }
    this.flushing = false;
  }
}

const starters = {
  // The floor of a pickup: woken by NOTIFY, one durable statement takes the task, and another stores its answer.
  async bare() {
    const { Client } = (await import('pg')).default;
    const client = new Client({ connectionString: database });
    await client.connect();
    client.on('notification', async () => {
      const { rows } = await client.query({
        name: 'take', text: `with taken as (delete from bare_queue returning id) select id, prompt from bare_task join taken using (id)`,
      });
      await Promise.all(rows.map(async ({ id, prompt }) => client.query({
        name: 'store', text: 'insert into answers (id, answer) values ($1, $2)', values: [id, await solve(prompt)],
      })));
    });
    await client.query('listen bare');
    return () => client.end();
  },

  // worker.graphile.org/docs/performance: local queue, batched completion, no logger.
  async graphile() {
    const { run, Logger } = await import('graphile-worker');
    const { Pool } = (await import('pg')).default;
    const pool = new Pool({ connectionString: database, max: 2 });
    pool.on('error', console.error);
    const answers = new AnswerTable(pool);
    const runner = await run({
      preset: {
        worker: {
          connectionString: database, concurrentJobs: CALLS, maxPoolSize: 10, localQueue: { size: 500 }, completeJobBatchDelay: 0,
          failJobBatchDelay: 0, logger: new Logger(() => () => {}),
        },
      },
      noHandleSignals: true,
      taskList: { solve: async ({ prompt }, { job }) => answers.store(job.id, await solve(prompt)) },
    });
    return () => runner.stop();
  },

  // pgboss.io/api/workers: batches settled in one statement, NOTIFY for pickup, continuous fetching while batches are full.
  async pgboss() {
    const { PgBoss } = await import('pg-boss');
    const boss = new PgBoss({ connectionString: database, useListenNotify: true, schedule: false, max: 10 });
    boss.on('error', console.error);
    await boss.start();
    const options = {
      batchSize: CALLS / 4, localConcurrency: 4, perJobResults: true, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5,
      notifyPollingIntervalSeconds: 0.5,
    };
    await boss.work('bench', options, (jobs) => Promise.all(jobs.map(async ({ id, data }) => (
      { id, status: 'completed', output: { answer: await solve(data.prompt) } }))));
    return () => boss.stop({ graceful: true });
  },

  // docs.bullmq.io/guide/workers/concurrency. What is returned is stored in the job. Redis has no commit times: we note them.
  async bullmq() {
    const { Worker } = await import('bullmq');
    const worker = new Worker('bench', ({ data }) => solve(data.prompt), {
      connection: { path: database, maxRetriesPerRequest: null }, concurrency: CALLS,
    });
    const stored = [];
    worker.on('completed', (job, answer) => stored.push(`${answer.slice(3, 67)} ${process.hrtime.bigint()}`));
    worker.on('failed', (job, error) => console.error(error));
    await worker.waitUntilReady();
    return async () => {
      await worker.close();
      writeFileSync(storedFile, stored.map((line) => `${line}\n`).join(''));
    };
  },

  // docs.bullmq.io/guide/postgresql. Each completion is a commit of its own, which takes the next job along.
  async bullmqpg() {
    const { Worker, createPostgresBackend } = await import('bullmq');
    const { Pool } = (await import('pg')).default;
    const pool = new Pool({ connectionString: database, max: BULLMQ_CONNECTIONS, options: '-c search_path=bullmq' });
    pool.on('error', console.error);
    const worker = new Worker('bench', ({ data }) => solve(data.prompt), { connection: pool, concurrency: CALLS }, createPostgresBackend);
    worker.on('failed', (job, error) => console.error(error));
    worker.on('error', console.error);
    await worker.waitUntilReady();
    return async () => {
      await worker.close();
      await pool.end();
    };
  },
};

const stop = await starters[system]();
process.once('SIGTERM', async () => {
  await stop();
  process.exit(0);
});
console.log('ready');
